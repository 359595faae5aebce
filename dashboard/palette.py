"""The colours of the page, light and dark: one table for style sheets and plots alike.

One accent; blue and orange only for signs; greys for everything else. Text colours keep 4.5:1 against their ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Theme = Literal["light", "dark"]

_TABLE = """
bg            #FFFFFF #0F1216
side          #F7F8FA #14181D
line          #E4E7EC #262C34
track         #D3D8E0 #39414C
text          #14181F #E9ECF1
muted         #59626F #A0A9B6
faint         #636C7A #89929F
accent        #1F62D0 #76A8FF
weak          #EDF3FD #18243A
on-accent     #FFFFFF #0F1216
neg           #3A78D8 #5C94F0
pos           #D97A26 #E08A3C
bar           #4A5564 #AEB7C4
bar2          #687384 #7F8A99
bar3          #A7B0BC #5B6573
bar4          #C9D0D9 #434C58
ghost         #E3E7EC #252B33
hatch-ground  #EBEDF1 #1C2127
hatch-line    #C6CCD5 #3A424D
good          #1F7A4D #5CC08D
warn          #A9510A #F0A05A
"""

_ROWS = [row.split() for row in _TABLE.strip().splitlines()]

COLOURS: Mapping[Theme, Mapping[str, str]] = {
    "light": {token: light for token, light, _ in _ROWS},
    "dark": {token: dark for token, _, dark in _ROWS},
}
"""`COLOURS[theme][token]`: a hexadecimal colour. Style sheets know it as `var(--token)`."""


def theme_named(name: str) -> Theme:
    """Return the theme of that name; the light one for a name that is none."""
    return "dark" if name == "dark" else "light"


def custom_properties() -> str:
    """Return the style sheet that gives every token as a custom property of the root, by `data-theme`."""
    return "\n".join(
        f':root[data-theme="{theme}"] {{ color-scheme: {theme}; '
        + " ".join(f"--{token}: {colour};" for token, colour in COLOURS[theme].items())
        + " }"
        for theme in COLOURS
    )
