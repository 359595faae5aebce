"""Money: what a run and a million tokens cost at a price for each chip-hour."""

from model.graph import Scalar, quantity


@quantity(label="Training bill", symbol="$_train", unit="$", standing="lower bound")
def train_cost(price_per_chip_hour: Scalar, chips: Scalar, train_days: Scalar) -> Scalar:
    """Price of all chips for the whole run."""
    return price_per_chip_hour * chips * train_days * 24


@quantity(label="Training cost a Mtok", symbol="$_train/Mtok", unit="$/Mtok", standing="lower bound")
def train_cost_per_mtok(price_per_chip_hour: Scalar, chips: Scalar, tokens_per_second: Scalar) -> Scalar:
    """Price of training on a million tokens."""
    return price_per_chip_hour * chips / (tokens_per_second * 3600) * 1e6


@quantity(label="FLOPs a dollar", symbol="FLOP/$", unit="FLOP/$")
def flops_per_dollar(peak_flops: Scalar, price_per_chip_hour: Scalar) -> Scalar:
    """Peak FLOPs that one dollar buys (book, ch. 8)."""
    return peak_flops * 3600 / price_per_chip_hour


@quantity(label="Output price", symbol="$_out", unit="$/Mtok", standing="lower bound")
def cost_per_mtok(price_per_chip_hour: Scalar, decode_chips: Scalar, decode_tokens_per_second: Scalar) -> Scalar:
    """Price of a million decoded tokens: $/h / (tokens/s x 3600) x 1e6; prefill is priced apart."""
    return price_per_chip_hour * decode_chips / (decode_tokens_per_second * 3600) * 1e6


@quantity(label="Input price", symbol="$_in", unit="$/Mtok", standing="lower bound")
def prefill_cost_per_mtok(
    price_per_chip_hour: Scalar, decode_chips: Scalar, prefill_tokens_per_second: Scalar
) -> Scalar:
    """Price of a million prompt tokens."""
    return price_per_chip_hour * decode_chips / (prefill_tokens_per_second * 3600) * 1e6
