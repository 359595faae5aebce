"""Which family a configuration belongs to, and where in it the text model and the tower of images are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from model.counting.architecture import Architecture
from model.counting.decoder import decoder
from model.counting.defaults import CLASS_SIZES
from model.counting.errors import ConfigRefused, shown
from model.counting.families import FAMILIES
from model.counting.family import Family
from model.counting.parameters import prediction_params
from model.counting.published import published_values
from model.counting.refusals import HEADLESS, REFUSED_KEYS, REFUSED_TYPES
from model.counting.section import Section
from model.counting.vision import TOWERS, TowerKind
from model.counting.wrappers import WRAPPERS, Wrapper

_BY_TYPE: dict[str, Family] = {t: family for family in reversed(FAMILIES) for t in family.types}
_BY_CLASS: dict[str, list[Family]] = {
    name: [family for family in FAMILIES if name in family.classes] for each in FAMILIES for name in each.classes
}
PREDICTION_KEYS = ("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers", "num_mtp_modules")
_WRAPPER_BY_TYPE = {t: w for w in WRAPPERS for t in w.types}
_TOWER_BY_TYPE: dict[str, TowerKind] = {t: kind for kind in TOWERS for t in kind.types}


def architecture(config: Mapping[str, Any]) -> Architecture:
    """The architecture that a configuration describes.

    Raises:
        ConfigRefused: the kind of model is not counted, or its configuration is incomplete or contradicts itself.
    """
    model_type = _model_type(config, "")
    _refuse_kinds(config, model_type)
    wrapper = _WRAPPER_BY_TYPE.get(model_type)
    if wrapper and ("text_config" in config or "vision_config" in config or model_type not in _BY_TYPE):
        return _wrapped(config, wrapper)
    return _text(config, model_type)


def _model_type(config: Mapping[str, Any], where: str, default: str | None = None) -> str:
    value = config.get("model_type")
    label = f"{where}.model_type" if where else "model_type"
    if value is None and default is not None:
        return default
    if value is None:
        raise ConfigRefused("is missing", where=label, mend="add it from the model's own config.json")
    if not isinstance(value, str) or not value:
        raise ConfigRefused(f"is {shown(value)}, not a name", where=label, mend="write the model's type")
    return value


def _refuse_kinds(config: Mapping[str, Any], model_type: str, where: str = "") -> None:
    prefix = f"{where}." if where else ""
    reason = REFUSED_TYPES.get(model_type)
    if reason:
        raise ConfigRefused(
            f"{shown(model_type)} is {reason}",
            where=f"{prefix}model_type",
            mend="count a decoder-only model of a known family",
        )
    for key, why in REFUSED_KEYS.items():
        value = config.get(key)
        if value is None or value is False or value in ([], {}, 0):
            continue
        raise ConfigRefused(f"is set: {why}", where=f"{prefix}{key}", mend="count a model without it")


def _classes(config: Mapping[str, Any]) -> list[str]:
    value = config.get("architectures")
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise ConfigRefused(f"is {shown(value)}, not a list of names", where="architectures", mend="write a list")
    return value


def _text(config: Mapping[str, Any], model_type: str) -> Architecture:
    family = _family(config, model_type)
    for key in ("text_config", "vision_config", "audio_config"):
        if config.get(key):
            raise ConfigRefused(
                f"is given, but model_type {shown(model_type)} has no such section",
                where=key,
                mend="correct the model_type or remove the section",
            )
    filled, notes = published_values(config, model_type)
    section = _section(filled, family, model_type, "")
    arch = decoder(section, family)
    return _noted(arch, section, (*notes, *_prediction_note(config, arch, family)))


def _family(config: Mapping[str, Any], model_type: str) -> Family:
    names = _classes(config)
    for name in names:
        if name not in _BY_CLASS and HEADLESS.search(name):
            raise ConfigRefused(
                f"{shown(name)} has no language-model head", where="architectures", mend="count the causal model"
            )
    by_type = _BY_TYPE.get(model_type)
    if by_type is None:
        raise ConfigRefused(
            f"{shown(model_type)} is not a known type, so its weights cannot be counted exactly",
            where="model_type",
            mend="count a model of a known family",
        )
    chosen = by_type
    for name in names:
        candidates = _BY_CLASS.get(name, [])
        chosen = next((family for family in candidates if model_type in family.types), None)
        if chosen is None:
            belongs = f"belongs to model_type {candidates[0].name}" if candidates else "is not a known class"
            raise ConfigRefused(
                f"{shown(name)} {belongs}, but model_type is {shown(model_type)}",
                where="architectures",
                mend="make them agree",
            )
    return chosen


def _section(values: Mapping[str, Any], family: Family, model_type: str, where: str) -> Section:
    return Section(
        values,
        family=model_type,
        where=where,
        sizes={**CLASS_SIZES.get(model_type, {}), **family.sizes},
        flags=family.flags,
    )


def _wrapped(config: Mapping[str, Any], wrapper: Wrapper) -> Architecture:
    name = wrapper.types[0]
    for class_name in _classes(config):
        if class_name not in wrapper.classes:
            raise ConfigRefused(
                f"{shown(class_name)} is not a class that model_type {name} is known to have",
                where="architectures",
                mend=f"expected {wrapper.classes[0]}",
            )
    text, where = _text_section(config, wrapper)
    text_type = _model_type(text, where, wrapper.text) if where else wrapper.text
    family = _BY_TYPE.get(text_type)
    _refuse_kinds(text, text_type, where)
    if family is None:
        raise ConfigRefused(
            f"{shown(text_type)} is not a known type of text model",
            where=f"{where}.model_type",
            mend="count a model of a known family",
        )
    filled, published = published_values(text, text_type)
    section = _section({**filled, "tie_word_embeddings": _tied(config, text, wrapper)}, family, text_type, where)
    arch = decoder(section, replace(family, tied=wrapper.tied))
    arch = _noted(arch, section, (*published, *_prediction_note(text, arch, family)))
    tower, vision = _tower(config, wrapper, arch.d_model)
    arch = replace(arch, family=f"{name}/{arch.family}", tower=tower)
    return _noted(arch, vision, ()) if vision else arch


def _text_section(config: Mapping[str, Any], wrapper: Wrapper) -> tuple[Mapping[str, Any], str]:
    text = config.get("text_config")
    if text is None and wrapper.flat:
        own = {k: v for k, v in config.items() if k != "vision_config"}
        return own, ""
    if text is None:
        raise ConfigRefused(
            f"is missing, and {wrapper.types[0]} needs it", where="text_config", mend="give the whole config.json"
        )
    if not isinstance(text, dict):
        raise ConfigRefused(f"is {shown(text)}, not an object", where="text_config", mend="write an object")
    return text, "text_config"


def _tied(config: Mapping[str, Any], text: Mapping[str, Any], wrapper: Wrapper) -> bool | None:
    outer, inner = config.get("tie_word_embeddings"), text.get("tie_word_embeddings")
    if outer is not None and inner is not None and outer is not inner and text is not config:
        raise ConfigRefused(
            f"is {shown(outer)} but text_config.tie_word_embeddings is {shown(inner)}",
            where="tie_word_embeddings",
            mend="make them agree",
        )
    return inner if outer is None else outer


def _tower(config: Mapping[str, Any], wrapper: Wrapper, d_model: int) -> tuple[Any, Section | None]:
    audio = config.get("audio_config")
    if audio is not None:
        raise ConfigRefused("is set: a tower of audio is not modelled", where="audio_config", mend="set it to null")
    values = config.get("vision_config")
    if values is None:
        values = {}
        if "vision_config" in config and wrapper.types[0] == "gemma4":
            return None, None
    if not isinstance(values, dict):
        raise ConfigRefused(f"is {shown(values)}, not an object", where="vision_config", mend="write an object")
    kind_name = _model_type(values, "vision_config", wrapper.vision)
    kind = _TOWER_BY_TYPE.get(kind_name)
    if kind is None:
        raise ConfigRefused(
            f"{shown(kind_name)} is not a known tower of images",
            where="vision_config.model_type",
            mend="count a model of a known family",
        )
    vision = Section(values, family=kind.types[0], where="vision_config", sizes=kind.sizes, flags=kind.flags)
    outer = Section(config, family=wrapper.types[0])
    return kind.build(vision, outer, d_model), vision


def _noted(arch: Architecture, section: Section, notes: tuple[str, ...]) -> Architecture:
    """Add what was said on the way: class defaults that were taken, and other remarks."""
    defaulted = tuple(dict.fromkeys(section.defaulted))
    taken = (f"class defaults taken for {section.where or 'the model'}: {', '.join(defaulted)}",) if defaulted else ()
    return replace(arch, notes=(*arch.notes, *notes, *taken))


def _prediction_note(config: Mapping[str, Any], arch: Architecture, family: Family) -> tuple[str, ...]:
    for key in PREDICTION_KEYS:
        layers = config.get(key)
        if isinstance(layers, int) and not isinstance(layers, bool) and layers > 0:
            held = f", {layers * prediction_params(arch):,} parameters" if family.prediction else ""
            return (f"multi-token-prediction module excluded ({key} = {layers}{held})",)
    return ()
