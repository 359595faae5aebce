"""The one exception of this package."""


class ConfigRefused(ValueError):
    """A configuration that cannot be counted exactly.

    Its text is one line: what is wrong, where, and the mend.

    Attributes:
        what: what is wrong.
        where: the key, file or section that is to blame.
        mend: what the reader can do about it.
    """

    def __init__(self, what: str, *, where: str, mend: str) -> None:
        self.what, self.where, self.mend = what, where, mend
        super().__init__(" ".join(f"{where}: {what}; {mend}".split()))
