"""The one exception of this package."""

MAX_WHERE = 160
MAX_VALUE = 60


class ConfigRefused(ValueError):
    """A configuration that cannot be counted exactly.

    Its text is one line: what is wrong, where, and the mend.

    Attributes:
        what: what is wrong.
        where: the key, file or section that is to blame.
        mend: what the reader can do about it.
    """

    def __init__(self, what: str, *, where: str, mend: str) -> None:
        where = "".join(c if c.isprintable() else "?" for c in where)
        where = where if len(where) <= MAX_WHERE else f"{where[: MAX_WHERE - 3]}..."
        self.what, self.where, self.mend = what, where, mend
        super().__init__(" ".join(f"{where}: {what}; {mend}".split()))


def shown(value: object) -> str:
    """A stranger's value as it may stand in a message: quoted, printable and short."""
    text = repr(value)
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}..."
