"""Where each chapter of the graph stands in the book."""

from __future__ import annotations

from collections.abc import Mapping

BOOK = "https://jax-ml.github.io/scaling-book/"
"""Address of *How to Scale Your Model*."""

_SECTIONS: Mapping[str, tuple[str, int]] = {
    "rooflines": ("roofline", 1),
    "tpus": ("tpus", 2),
    "sharding": ("sharding", 3),
    "mixture": ("transformers", 4),
    "attention": ("transformers", 4),
    "transformers": ("transformers", 4),
    "accounting": ("transformers", 4),
    "training": ("training", 5),
    "thresholds": ("training", 5),
    "pods": ("applied-training", 6),
    "inference": ("inference", 7),
    "serving": ("applied-inference", 8),
    "gpus": ("gpus", 12),
    "fabric": ("gpus", 12),
}


def chapter_link(chapter: str) -> tuple[str, str]:
    """Return the words and the address of a chapter of the graph; empty where the book has none of it."""
    if chapter not in _SECTIONS:
        return "", ""
    slug, number = _SECTIONS[chapter]
    return f"Book, ch. {number}", f"{BOOK}{slug}"
