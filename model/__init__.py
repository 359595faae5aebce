"""The mathematics: the book's arithmetic as one differentiated JAX graph.

Double precision is switched on here, once, so that the served page, the report, the command line and the tests agree.
"""

import jax

jax.config.update("jax_enable_x64", True)
