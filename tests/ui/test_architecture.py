"""The Architecture page in a browser: a file is counted or refused, and goes into Training and Inference."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Page, expect

pytestmark = pytest.mark.ui

Visit = Callable[..., Page]
Barriers = Callable[[Page], list[str]]
GEMMA = {
    "architectures": ["Gemma2ForCausalLM"],
    "model_type": "gemma2",
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 256000,
    "sliding_window": 2048,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}
PUBLISHED = 2_614_341_888  # metadata.total_size of google/gemma-2-2b over the bytes of an element


def _file(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/json", "buffer": content}


def _choose(page: Page, name: str, content: bytes) -> None:
    page.locator("#config-file").set_input_files(_file(name, content))


def test_a_file_is_counted_and_used(visit: Visit) -> None:
    page = visit("page=architecture")
    _choose(page, "gemma-2-2b.json", json.dumps(GEMMA).encode())
    expect(page.get_by_text(f"gemma-2-2b: {PUBLISHED:,} parameters.", exact=True)).to_be_visible()
    table = page.get_by_role("table", name="Counts of two models")
    expect(table.get_by_role("row", name="Total parameters")).to_contain_text("2.61 B")
    expect(table.get_by_role("row", name="beyond the window")).to_contain_text("53.2 kB")
    page.get_by_role("button", name="Use in Training and Inference", exact=True).click()
    expect(page.locator("nav a[aria-current]")).to_have_text("Training")
    chosen = page.get_by_label("Model", exact=True).locator("option:checked")
    expect(chosen).to_have_text("gemma-2-2b")
    expect(page.locator("#window_layers")).to_have_value("13")
    page.get_by_role("link", name="Inference").click()
    expect(chosen).to_have_text("gemma-2-2b")
    page.wait_for_url("**window=2048**")
    page.get_by_role("button", name="Undo").click()
    expect(chosen).to_have_text("LLaMA-3 70B")


def test_a_paste_is_refused_in_one_line(visit: Visit) -> None:
    page = visit("page=architecture")
    area = page.get_by_role("textbox", name="A config.json")
    area.fill(json.dumps({**GEMMA, "model_type": "t5"}))
    page.get_by_role("button", name="Count", exact=True).click()
    said = page.get_by_role("region", name="Count a model").get_by_role("status")
    expect(said).to_contain_text("model_type: 't5' is an encoder-decoder")
    expect(page.get_by_role("button", name="Use in Training and Inference", exact=True)).to_be_hidden()
    area.fill("{")
    area.press("Control+Enter")
    expect(said).to_contain_text("config: is not JSON")


def test_what_is_no_config_is_refused_before_it_is_sent(visit: Visit) -> None:
    page = visit("page=architecture")
    said = page.get_by_role("region", name="Count a model").get_by_role("status")
    _choose(page, "model.safetensors", b" " * 1_000_001)
    expect(said).to_contain_text("model.safetensors: is 1,000,001 bytes, more than 1,000,000")
    _choose(page, "weights.json", b"\xff\xfe\x00")
    expect(said).to_contain_text("weights.json: is not UTF-8 text")
    page.get_by_role("button", name="Count", exact=True).click()
    expect(said).to_contain_text("nothing to count")


def test_a_model_is_saved_and_comes_back(visit: Visit) -> None:
    page = visit("page=architecture&n_layers=12&n_experts=4")
    page.get_by_role("textbox", name="Name of this model").fill("Mine")
    page.get_by_role("region", name="Saved in this browser").get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("Mine is saved.")).to_be_visible()
    page.close()
    again = visit("page=architecture")
    again.get_by_role("button", name="Mine", exact=True).click()
    expect(again.get_by_label("Model", exact=True).first.locator("option:checked")).to_have_text("Mine")
    again.wait_for_url("**n_experts=4**")
    again.get_by_role("button", name="Forget Mine").click()
    expect(again.get_by_role("button", name="Mine", exact=True)).to_have_count(0)


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)])
def test_nothing_stands_in_the_way(visit: Visit, barriers: Barriers, theme: str, width: int) -> None:
    page = visit("page=architecture")
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 844})
    page.reload()
    expect(page.get_by_role("table", name="Counts of two models")).to_be_visible()
    _choose(page, "gemma-2-2b.json", json.dumps(GEMMA).encode())
    expect(page.get_by_text("gemma-2-2b:").first).to_be_visible()
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
