"""One emitter, two printers: a jaxpr of scalars as Python source for the page and JavaScript for the report.

```python
jaxpr = trace(lambda a, b: (a * b, a / b), 2)
ratios = compile_python(emit_python(jaxpr, "ratios"), "ratios")
ratios(6.0, 0.0)  # (0.0, inf)
```

Both follow IEEE 754 as JAX does, with one difference: XLA flushes subnormal numbers (below 2.2e-308) to zero.
"""

from model.emit.javascript import emit_javascript
from model.emit.lowering import trace
from model.emit.program import UnknownPrimitive
from model.emit.python import compile_python, emit_python

__all__ = ["UnknownPrimitive", "compile_python", "emit_javascript", "emit_python", "trace"]
