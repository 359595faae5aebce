"""Chapters: in the book's order, every live number a finite value with a unit, and the program in them runs."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.course import chapters, labs
from dashboard.course.live import read_tag
from dashboard.course.profile import profiles
from model.errors import BadInput
from model.point import resolve

TITLES = (
    "Introduction",
    "Intro to Rooflines",
    "All About TPUs",
    "Sharded Matrices and How to Multiply Them",
    "All the Transformer Math You Need to Know",
    "How to Parallelize a Transformer for Training",
    "Training LLaMA 3 on TPUs",
    "All About Transformer Inference",
    "Serving LLaMA 3 on TPUs",
    "How to Profile TPU Programs",
    "Programming TPUs in JAX",
    "Conclusions and Further Reading",
    "How to Think About GPUs",
)
"""Titles of the book's chapters, in its order."""


def test_the_chapters_are_the_books() -> None:
    assert tuple(chapter.title for chapter in chapters().values()) == TITLES
    assert [chapter.number for chapter in chapters().values()] == list(range(13))


@pytest.mark.parametrize("slug", list(chapters()))
def test_a_chapter_renders_with_live_numbers(slug: str) -> None:
    chapter = chapters()[slug]
    words = len(re.sub(r"\{\{.+?\}\}", "1", chapter.text).split())
    assert 400 <= words <= 900
    assert chapter.link.startswith("https://jax-ml.github.io/scaling-book/")
    assert chapter.html.count('<button class="live"') == len(chapter.numbers) > 0
    assert not re.search(
        r"[{}\N{OBJECT REPLACEMENT CHARACTER}]{2}|nan\b|\N{OBJECT REPLACEMENT CHARACTER}", chapter.html
    )
    for number in chapter.numbers:
        assert math.isfinite(number.value), number.of
        assert number.unit


def test_the_authors_are_credited_first() -> None:
    text = chapters()["0-introduction"].text
    assert "Read the original first" in text[:60]
    for name in ("Austin", "Douglas", "Frostig", "Levskaya", "Chen", "Vikram", "Lebron", "Choy", "Ramasesh", "Webson"):
        assert name in text
    assert "Reiner Pope" in text


@pytest.mark.parametrize(
    ("tag", "printed"),
    [
        ("hbm_critical_intensity @ chip=tpu-v5e", 240),
        ("matmul_critical_batch @ chip=tpu-v5e, weight_bytes=1", 120),
        ("latency_bound_bytes @ chip=tpu-v5e", 45e3),
        ("data_parallel_threshold @ chip=tpu-v5p, ici_axes=1", 2550),
        ("dcn_critical_intensity @ chip=tpu-v5p", 73440),
    ],
)
def test_live_numbers_are_the_books(tag: str, printed: float) -> None:
    assert read_tag(tag).value == pytest.approx(printed, rel=0.005)


@pytest.mark.parametrize(
    ("tag", "named"),
    [
        ("step_tim", "step_time"),
        ("= inference-bcrit-bf17", "inference-bcrit-bf16"),
        ("step_time @ chip=tpu-v99", "tpu-v99"),
        ("step_time @ batch_tokens", "knob=value"),
        ("tree_bandwidth @ chip=h100-superpod", "DCN bandwidth"),
    ],
)
def test_a_tag_that_cannot_be_used_is_named(tag: str, named: str) -> None:
    with pytest.raises(BadInput, match=named):
        read_tag(tag)


def test_the_sharded_program_runs_on_eight_virtual_devices() -> None:
    program = Path(__file__).resolve().parents[2] / "dashboard" / "course" / "sharded_mlp.py"
    flags = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, program], env=flags, capture_output=True, text=True, timeout=120, check=True)
    found = re.fullmatch(r"8 devices, \w+\(None, 'Y'\), largest difference (\S+)\n", done.stdout)
    assert found, done.stdout
    assert float(found[1]) < 1e-4
    assert "sharded_mlp = jax.jit(" in chapters()["10-jax"].html


def test_the_published_run_lies_above_its_roofline() -> None:
    run = profiles()["megatron-22b"]
    assert run.measured["step_time"] > run.bounds["step_time"].value
    flops = next(part.value for part in run.parts if part.of == "step_flops")
    peak = float(resolve("a100").values["peak_flops"] or 0)
    published = run.measured["mfu"] * 8 * peak * run.measured["step_time"]
    assert flops == pytest.approx(published, rel=0.02)


def test_every_lab_sits_in_a_chapter() -> None:
    assert len(labs()) == 8
    assert all(lab.chapter in chapters() for lab in labs().values())
    assert len({lab.chapter for lab in labs().values()}) == 8
