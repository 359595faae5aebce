"""Bytes of the weights as a checkpoint stores them: element types, and quantised matrices with their scales.

A scheme says how many bits an element takes and what comes with each matrix. Tables, norms, biases, convolutions and
routers keep the file's own type; which other modules do is read from the configuration's own list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from typing import Any, TypeGuard

from model.counting.architecture import Architecture
from model.counting.errors import shown
from model.counting.weights import Part, Row, ledger

DTYPE_BYTES = {
    "bfloat16": 2,
    "float16": 2,
    "half": 2,
    "float32": 4,
    "float": 4,
    "float64": 8,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
}
SKIP_KEYS = ("modules_to_not_convert", "ignore", "llm_int8_skip_modules", "ignored_layers", "exclude_modules")
MAX_MATCHES = 100_000  # rows x wildcards: keeps a hostile list under a second
LAYER_PREFIXES = ("model.layers", "model.language_model.layers", "language_model.model.layers", "language_model.layers")
LAYERS: frozenset[Part] = frozenset(("attention", "mlp", "experts", "shared_experts"))
LAYERS_AND_TOWER: frozenset[Part] = LAYERS.union(("vision",))
EVERY_LINEAR: frozenset[Part] = LAYERS.union(("vision", "head"))
EXPERTS: frozenset[Part] = frozenset(("experts",))


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a quantised matrix is stored.

    Attributes:
        name: what to call it.
        bits: bits of an element.
        extra: bytes that come with a matrix of (inputs, outputs).
        parts: parts of the picture whose matrices it covers.
    """

    name: str
    bits: int
    extra: Callable[[int, int], int]
    parts: frozenset[Part] = LAYERS

    def matrix_bytes(self, inputs: int, outputs: int) -> int:
        """Bytes of one matrix with everything that comes with it."""
        return -(-inputs * outputs * self.bits // 8) + self.extra(inputs, outputs)


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes of the weights, None where the file does not let us say, and what to say about them."""

    total: int | None
    by_part: Mapping[Part, int]
    notes: tuple[str, ...]


def stored(arch: Architecture, config: Mapping[str, Any]) -> Stored:
    """Bytes of a checkpoint's weights by the element type and the quantisation that its configuration names."""
    settings = _quantization(config)
    element, dtype = _element_bytes(config)
    if element is None and settings is not None:
        element, dtype = 2, "16 bit (the file names no element type; quantised files are kept in 16 bit)"
    if element is None:
        return Stored(None, {}, ("no known element type in the file: weight_bytes not known",))
    scheme = _scheme(settings, element) if settings is not None else None
    if settings is not None and scheme is None:
        method = settings.get("quant_method") or settings.get("quant_algo")
        return Stored(None, {}, (f"quantisation {shown(method)} is not priced: weight_bytes not known",))
    rows = list(ledger(arch))
    skipped = Skipped(settings or {})
    if len(rows) * len(skipped.globs) > MAX_MATCHES:
        return Stored(None, {}, ("too many patterns in the quantisation's list: weight_bytes not known",))
    parts: dict[Part, int] = {}
    for row in rows:
        w = row.weight
        size = w.params * element
        if scheme and _is_quantised(row, scheme, skipped):
            size = w.copies * (scheme.matrix_bytes(w.inputs, w.outputs) + w.outputs * w.bias * element)
        parts[w.part] = parts.get(w.part, 0) + size
    said = f"weights stored as {scheme.name}, the rest as {dtype}" if scheme else f"weights stored as {dtype}"
    return Stored(sum(parts.values()), parts, (said,))


def _element_bytes(config: Mapping[str, Any]) -> tuple[int | None, str]:
    text = config.get("text_config")
    for source in (config, text if isinstance(text, dict) else {}):
        for key in ("dtype", "torch_dtype"):
            name = source.get(key)
            if isinstance(name, str):
                name = name.removeprefix("torch.")
                return DTYPE_BYTES.get(name), name
    return None, ""


def _quantization(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    text = config.get("text_config")
    for source in (config, text if isinstance(text, dict) else {}):
        settings = source.get("quantization_config")
        if isinstance(settings, dict) and settings:
            return settings
    return None


def _scheme(settings: Mapping[str, Any], element: int) -> Scheme | None:
    method = settings.get("quant_method")
    if method == "fp8":
        return _fp8(settings)
    if method == "mxfp4":
        return Scheme("mxfp4", 4, _grouped(32, 1), EXPERTS)
    if method == "modelopt":
        algorithm = settings.get("quant_algo")
        if algorithm == "NVFP4":
            return Scheme("NVFP4", 4, lambda i, o: _groups(i, 16) * o + 8, EVERY_LINEAR)
        if algorithm == "FP8":
            return Scheme("fp8", 8, lambda i, o: 8, EVERY_LINEAR)
        return None
    if method in ("awq", "gptq"):
        return _integer(settings, element, order_index=method == "gptq")
    if method == "bitsandbytes":
        return _bitsandbytes(settings)
    if method == "compressed-tensors":
        return _compressed(settings, element)
    return None


def _fp8(settings: Mapping[str, Any]) -> Scheme | None:
    block = settings.get("weight_block_size")
    if block is None:
        static = settings.get("activation_scheme") == "static"
        return Scheme("fp8, one scale a matrix", 8, lambda i, o: 8 if static else 4, LAYERS_AND_TOWER)
    if not isinstance(block, list) or len(block) != 2:
        return None
    rows, columns = block
    if not _positive(rows) or not _positive(columns):
        return None
    name = f"fp8 with a float32 scale every {rows} x {columns}"
    return Scheme(name, 8, lambda i, o: 4 * _groups(i, columns) * _groups(o, rows), LAYERS_AND_TOWER)


def _integer(settings: Mapping[str, Any], element: int, *, order_index: bool) -> Scheme | None:
    bits, group = settings.get("bits", settings.get("w_bit")), settings.get("group_size", settings.get("q_group_size"))
    if not _positive(bits) or bits not in (2, 3, 4, 8):
        return None
    if not isinstance(group, int) or isinstance(group, bool) or (group != -1 and group < 1):
        return None

    def extra(inputs: int, outputs: int) -> int:
        groups = 1 if group == -1 else _groups(inputs, group)
        zeros = -(-groups * outputs * bits // 8)
        return element * groups * outputs + zeros + (4 * inputs if order_index else 0)

    return Scheme(f"int{bits} with scales and zero points every {group}", bits, extra)


def _bitsandbytes(settings: Mapping[str, Any]) -> Scheme | None:
    if settings.get("load_in_4bit") or settings.get("_load_in_4bit"):
        if settings.get("bnb_4bit_use_double_quant"):
            return Scheme("4 bit, scales quantised", 4, lambda i, o: _groups(i * o, 64) + 4 * _groups(i * o, 16384))
        return Scheme(str(settings.get("bnb_4bit_quant_type", "4 bit"))[:8], 4, lambda i, o: 4 * _groups(i * o, 64))
    if settings.get("load_in_8bit") or settings.get("_load_in_8bit"):
        return Scheme("int8 with a float32 scale a row", 8, lambda i, o: 4 * o)
    return None


def _compressed(settings: Mapping[str, Any], element: int) -> Scheme | None:
    groups = settings.get("config_groups")
    if not isinstance(groups, dict) or len(groups) != 1:
        return None
    (only,) = groups.values()
    weights = only.get("weights") if isinstance(only, dict) else None
    if not isinstance(weights, dict) or only.get("targets") != ["Linear"]:
        return None
    bits, group, strategy = weights.get("num_bits"), weights.get("group_size"), weights.get("strategy")
    if not _positive(bits) or bits not in (4, 8):
        return None
    covered = EVERY_LINEAR
    floating = weights.get("type") == "float"
    if strategy == "channel":
        return Scheme(f"{bits} bit with a scale a channel", bits, lambda i, o: element * o, covered)
    block = weights.get("block_structure")
    if strategy == "block" and bits == 8 and isinstance(block, list) and len(block) == 2:
        rows, columns = block
        if _positive(rows) and _positive(columns):
            return Scheme(
                "8 bit with a scale a block", 8, lambda i, o: element * _groups(i, columns) * _groups(o, rows), covered
            )
    if strategy == "tensor":
        return Scheme(f"{bits} bit with a scale a matrix", bits, lambda i, o: element, covered)
    if strategy not in ("group", "tensor_group") or not _positive(group):
        return None
    if floating and bits == 4:
        once = 4 if strategy == "tensor_group" else 0
        return Scheme(f"fp4 with a scale every {group}", 4, lambda i, o: _groups(i, group) * o + once, covered)
    return Scheme(f"int{bits} with a scale every {group}", bits, _grouped(group, element), covered)


def _grouped(group: int, scale_bytes: int) -> Callable[[int, int], int]:
    return lambda inputs, outputs: scale_bytes * _groups(inputs, group) * outputs


def _groups(length: int, size: int) -> int:
    return -(-length // size)


def _positive(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class Skipped:
    """The modules that a configuration's own lists leave unquantised.

    An entry names a module, a parent of it or its last words; with `*` it is a glob, after `re:` an expression of which
    literal text, `.*` and escaped dots are understood.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        entries = [e for key in SKIP_KEYS if isinstance(settings.get(key), list) for e in settings[key]]
        names = [e for e in entries if isinstance(e, str) and e]
        globs = [_glob(name) for name in names]
        self.exact = frozenset(name for name, glob in zip(names, globs, strict=True) if glob is None)
        self.globs = sorted({glob for glob in globs if glob})
        joined = "|".join(translate(glob) for each in self.globs for glob in (each, f"{each}.*"))
        self._wild = re.compile(joined) if joined else None

    def covers(self, name: str) -> bool:
        """Whether a module is left unquantised."""
        if self.exact:
            words = name.split(".")
            for i in range(1, len(words) + 1):
                if ".".join(words[:i]) in self.exact or ".".join(words[-i:]) in self.exact:
                    return True
        return bool(self._wild and self._wild.match(name))


def _glob(entry: str) -> str | None:
    """The glob that an entry stands for, "" for an expression beyond us, None for a plain name."""
    if entry.startswith("re:"):
        expression = entry[3:].removeprefix("^")
        bare = expression.removesuffix("$")
        if not re.fullmatch(r"(?:[\w-]|\.\*|\\\.|\.)*", bare):
            return ""
        glob = bare.replace(r"\.", "\0").replace(".*", "*").replace(".", "?").replace("\0", ".")
        return glob if bare != expression else f"{glob}*"
    return entry if "*" in entry else None


def _is_quantised(row: Row, scheme: Scheme, skipped: Skipped) -> bool:
    w = row.weight
    if w.kind != "matrix" or w.part not in scheme.parts or "conv" in w.path or "patch" in w.path:
        return False
    if row.layer is None:
        names = (w.path, f"model.{w.path}")
    else:
        names = tuple(f"{prefix}.{row.layer}.{w.path}" for prefix in LAYER_PREFIXES)
    return not any(skipped.covers(name) for name in names)
