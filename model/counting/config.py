"""Reading a Hugging Face `config.json`: text, bytes, a path or a mapping becomes a checked plain dictionary.

Only the form is judged here (size, syntax, duplicate keys, numbers, depth); what the keys mean is the business of
`model.counting.section` and the families.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from model.counting.errors import ConfigRefused, shown

MAX_BYTES = 1_000_000
MAX_DEPTH = 24
MAX_ITEMS = 100_000
MAX_INTEGER = 2**53  # what every JSON reader keeps exactly

Source = str | bytes | Mapping[str, Any] | Path


def read(source: Source) -> dict[str, Any]:
    """Read one configuration.

    Args:
        source: a `Path` to a file, JSON text or bytes, or a mapping that was parsed already. A `str` is JSON text,
            never a file name.

    Returns:
        A plain dictionary: string keys, finite numbers, at most `MAX_DEPTH` levels.

    Raises:
        ConfigRefused: unreadable, too large, not JSON, not an object, or a value no `config.json` can hold.
    """
    if isinstance(source, Mapping):
        return _checked(source)
    if isinstance(source, Path):
        source = _file_bytes(source)
    if isinstance(source, str):
        source = source.encode("utf-8", errors="surrogatepass")
    if not isinstance(source, bytes):
        _refuse(f"is a {type(source).__name__}", "pass JSON text, bytes, a Path or a mapping")
    return _checked(_parse(source))


def _file_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        raise ConfigRefused(
            f"cannot be read ({reason})", where=str(path), mend="give the path of a config.json"
        ) from None


def _parse(data: bytes) -> Any:
    if len(data) > MAX_BYTES:
        _refuse(f"is larger than {MAX_BYTES:,} bytes", "give the config.json alone, not weights or an index")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(f"is not UTF-8 text (byte {error.start})", "give the config.json itself")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except ConfigRefused:
        raise
    except json.JSONDecodeError as error:
        _refuse(f"is not JSON ({error.msg}, line {error.lineno}, column {error.colno})", "give the whole file")
    except RecursionError:
        _refuse(f"is nested deeper than {MAX_DEPTH} levels", "give a config.json")
    except ValueError:  # CPython refuses integers of thousands of digits
        _refuse("holds an integer too long to read", "correct the number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ConfigRefused("appears twice in one object", where=key, mend="keep one of them")
        seen[key] = value
    return seen


def _no_constant(name: str) -> NoReturn:
    _refuse(f"holds {name}, which is not JSON", "write a finite number or null")


def _checked(value: Any) -> dict[str, Any]:
    """Copy a parsed value, refusing what JSON cannot hold. Iterative, so that depth cannot exhaust the stack."""
    if not isinstance(value, Mapping):
        _refuse(f"is a JSON {_json_name(value)}, not an object", "give the whole config.json, from { to }")
    root: dict[str, Any] = {}
    items = 0
    pending: list[tuple[Any, Any, int, str]] = [(value, root, 1, "")]
    while pending:
        container, copy, depth, where = pending.pop()
        if depth > MAX_DEPTH:
            _refuse(f"is nested deeper than {MAX_DEPTH} levels", "give a config.json")
        entries = container.items() if isinstance(container, Mapping) else enumerate(container)
        for key, child in entries:
            items += 1
            if items > MAX_ITEMS:
                _refuse(f"holds more than {MAX_ITEMS:,} values", "give a config.json")
            if isinstance(container, Mapping) and not isinstance(key, str):
                _refuse(f"has a key that is not text ({shown(key)})", "write keys as text")
            path = f"{where}.{key}" if where else str(key)
            leaf = _leaf(child, path)
            if leaf is not None:
                pending.append((child, leaf, depth + 1, path))
                child = leaf
            if isinstance(copy, dict):
                copy[key] = child
            else:
                copy.append(child)
    return root


def _leaf(value: Any, path: str) -> dict[str, Any] | list[Any] | None:
    """An empty copy for a container, None for a scalar that JSON can hold."""
    if isinstance(value, Mapping):
        return {}
    if isinstance(value, list | tuple):
        return []
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise ConfigRefused("is an integer beyond 2^53", where=path, mend="correct the number")
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ConfigRefused("is not a finite number", where=path, mend="write a finite number or null")
        return None
    raise ConfigRefused(f"is a {type(value).__name__}", where=path, mend="use values that JSON can hold")


def _json_name(value: Any) -> str:
    names = {list: "array", str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def _refuse(what: str, mend: str) -> NoReturn:
    raise ConfigRefused(what, where="config", mend=mend)
