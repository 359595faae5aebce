"""Every row of the shared truth file: exact, or refused where it says that the model is unsupported."""

import csv
import json

import pytest

from model.counting import ConfigRefused, count

pytestmark = pytest.mark.shared

COLUMNS = {
    "total_params_exact": "total_params",
    "text_only_params": "text_only_params",
    "active_params": "active_params",
    "active_excl_input_embed": "active_params_without_input_embedding",
    "routed_expert_params": "routed_expert_params",
    "kv_bytes_per_token_bf16": "kv_bytes_per_token",
    "kv_bytes_per_token_beyond_window": "kv_bytes_per_token_beyond_window",
}
# Rows without UNSUPPORTED in their notes that are refused all the same.
REFUSED = {
    "deepseek-v4-flash": "compressed by a ratio",
    "kimi-k3": "not modelled",
    "oasst-rm-pythia-1.4b": "no language-model head",
}


@pytest.fixture(scope="module")
def rows(shared):
    folder = shared / "models"
    with (folder / "truth.csv").open(newline="") as file:
        found = [row for row in csv.DictReader(file) if (folder / "configs" / f"{row['slug']}.json").exists()]
    assert len(found) > 90
    return [(row, folder / "configs" / f"{row['slug']}.json") for row in found]


def _must_be_refused(row):
    return "UNSUPPORTED" in row["notes"] or row["slug"] in REFUSED


def test_every_supported_row_is_exact(rows):
    wrong = []
    for row, path in rows:
        if _must_be_refused(row):
            continue
        made = count(path)
        wrong += [
            (row["slug"], ours, getattr(made, ours), row[column])
            for column, ours in COLUMNS.items()
            if row[column] and int(float(row[column])) != getattr(made, ours)
        ]
        if row["tied_embeddings"]:
            assert made.architecture.tied is (row["tied_embeddings"] == "True"), row["slug"]
    assert wrong == []


def test_every_unsupported_row_is_refused_in_one_line(rows):
    refused = 0
    for row, path in rows:
        if _must_be_refused(row):
            with pytest.raises(ConfigRefused) as caught:
                count(path)
            text = str(caught.value)
            assert "\n" not in text
            assert REFUSED.get(row["slug"], "") in text
            refused += 1
    assert refused > 8


def test_layers_and_windows_agree(rows):
    for row, path in rows:
        if _must_be_refused(row) or not row["kv_layers_full"]:
            continue
        caches = [getattr(block.mixer, "window", 0) for block in count(path).architecture.blocks]
        windowed = [window for window in caches if window]
        assert caches.count(None) == int(row["kv_layers_full"]), row["slug"]
        assert len(windowed) == int(row["kv_layers_windowed"] or 0), row["slug"]
        assert set(windowed) == ({int(float(row["window"]))} if row["window"] else set()), row["slug"]


def test_text_bytes_path_and_mapping_agree(rows):
    path = next(path for row, path in rows if row["slug"] == "llama-3.2-1b")
    text = path.read_text()
    assert count(path) == count(text) == count(text.encode()) == count(json.loads(text))
