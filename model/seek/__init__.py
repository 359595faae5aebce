"""Inverse questions: which knobs give this value, and which give the least.

```python
seek(resolve(), "mfu", 0.5, ["batch_tokens", "data_shards"])
minimise(resolve(), "train_cost", ["tensor_shards", "data_shards"], [("train_days", "<=", 30)])
```
"""

from model.seek.goal import SeekResult, SeekStep, seek, seek_steps
from model.seek.minimum import Constraint, Limit, Minimum, minimise

__all__ = ["Constraint", "Limit", "Minimum", "SeekResult", "SeekStep", "minimise", "seek", "seek_steps"]
