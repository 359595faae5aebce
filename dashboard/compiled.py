"""Keeps what XLA compiled between runs, in the user's cache folder, so that the next start is quicker."""

from __future__ import annotations

import os
from pathlib import Path

import jax


def cache_folder() -> Path:
    """Return the folder: `scalegrad/jax` in XDG_CACHE_HOME, or in `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "scalegrad" / "jax"


def keep_compiled() -> None:
    """Switch on JAX's persistent compilation cache, for every program however small."""
    jax.config.update("jax_compilation_cache_dir", str(cache_folder()))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
