"""The formula of a quantity, read from the source of its node, so that what is shown and what runs can't drift apart.

```python
text(formula("step_time"))  # "T_step = L T_layer + T_head"
```
"""

from model.formula.printing import html, html_with_numbers, text, text_with_numbers
from model.formula.source import Formula, UnreadableNode, formula
from model.formula.symbols import symbol_html, symbol_text
from model.formula.tree import Expression, value

__all__ = [
    "Expression",
    "Formula",
    "UnreadableNode",
    "formula",
    "html",
    "html_with_numbers",
    "symbol_html",
    "symbol_text",
    "text",
    "text_with_numbers",
    "value",
]
