"""Tables of runs from anywhere: read when good, refused in one line when not."""

import numpy as np
import pytest

from model.laws import RunsError, drop_highest_losses, parse_runs

ROWS = [f"{n:g},{6 * n * d:g},{3 + 1 / n:.9f}" for n in (1e6, 2e6, 4e6) for d in (1e8, 2e8, 4e8)]
GOOD = "\n".join(["params,flop,loss", *ROWS])


def test_reads_any_order_case_spaces_remarks_and_a_byte_order_mark():
    text = "\ufeff# a remark\n Loss , PARAMS, note, FLOPs\n" + "\n".join(
        f"3.{i}, {1 + i}e6, x, {2 + i}e15" for i in range(9)
    )
    runs = parse_runs(text)
    assert len(runs) == 9
    assert runs.params[0] == 1e6
    assert runs.tokens == pytest.approx(runs.flop / (6 * runs.params))
    assert len(set(runs.cluster)) == 9


def test_tokens_and_clusters_are_taken_as_given():
    rows = "\n".join(f"{1 + i}e6,1e15,3,{5 + i}e7,{'ab'[i % 2]}" for i in range(9))
    runs = parse_runs("params,flop,loss,tokens,cluster\n" + rows)
    assert runs.tokens[8] == 13e7
    assert runs.cluster.tolist() == [0, 1] * 4 + [0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the table is empty"),
        ("a,b\n1,2", "no column params, flop, loss"),
        ("params,flop\n1,2", "no column loss"),
        (GOOD.replace("params,flop", "params,n,flop"), "column params is there twice"),
        (GOOD + "\nparams,flop,loss", "line 11: the header is there twice"),
        (GOOD + "\n1e6,-1e15,3", "line 11: flop is -1e15; it must be positive"),
        (GOOD + "\n1e6,0,3", "positive"),
        (GOOD + "\n1e6,nan,3", "finite"),
        (GOOD + "\n1e6,1e400,3", "finite"),
        (GOOD + "\n1e6,many,3", "line 11: flop is 'many'; write a number"),
        (GOOD + "\n1e6,1e15", "line 11: 2 cells where the header has 3"),
        ("params,flop,loss\n" + "\n".join(ROWS[:5]), "5 runs: a law of five coefficients needs at least 8"),
        ("params,flop,loss\n" + "\n".join(["1e6,1e15,3"] * 9), "fewer than 3 different params"),
        ("x" * 5_000_001, "5,000,001 characters"),
        ("params,flop,loss\n" + "1e6,1e15,3\n" * 20_001, "more than 20,000 runs"),
        ('params,flop,loss\n"' + "1" * 140_000, "not readable as CSV"),
    ],
)
def test_bad_tables_are_refused_in_one_line_with_the_mend(text, says):
    with pytest.raises(RunsError) as caught:
        parse_runs(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_highest_losses_are_dropped_and_order_is_kept():
    runs = parse_runs(GOOD)
    kept = drop_highest_losses(runs, 3)
    assert len(kept) == 6
    assert kept.params.tolist() == [2e6] * 3 + [4e6] * 3
    assert np.max(kept.loss) < np.max(runs.loss)
    with pytest.raises(RunsError, match="cannot drop 9 of 9"):
        drop_highest_losses(runs, 9)
