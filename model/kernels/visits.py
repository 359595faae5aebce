"""Which expert visits which row tile: the group metadata of a ragged kernel, without a padded copy of the rows.

Rows are sorted by expert and cut into tiles of `block_m` rows. A tile that holds a border between experts is visited
once by each expert in it, and each visit stores only its own rows. Rows behind the last group belong to no expert:
they form one more group, whose visits store zeros.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class RowTileVisits(NamedTuple):
    """The visits in the order of the grid; every array is int32, so that it can be prefetched as scalars.

    Shapes: `groups` and `tiles` (visits,), `offsets` (n_experts + 2,), `n_visits` (1,). Entries of `groups` and
    `tiles` from `n_visits` on repeat the last visit. Group number `n_experts` is the rest,
    the rows that no expert owns.
    """

    groups: jax.Array
    tiles: jax.Array
    offsets: jax.Array
    n_visits: jax.Array


def max_visits(rows: int, block_m: int, n_experts: int) -> int:
    """Return the largest number of visits that any group sizes can need: every tile once, and once more a border."""
    return -(-rows // block_m) + n_experts


def row_tile_visits(group_sizes: jax.Array, rows: int, block_m: int) -> RowTileVisits:
    """Lay out the visits of `rows` sorted rows; traceable, its shapes depend on `rows`, `block_m` and n_experts only.

    Args:
        group_sizes: (n_experts,) integers, rows of each expert; a sum beyond `rows` is cut there.
        rows: at least 1.
        block_m: rows of a tile.
    """
    ends = jnp.minimum(jnp.cumsum(group_sizes.astype(jnp.int32), dtype=jnp.int32), rows)
    ends = jnp.concatenate([ends, jnp.full((1,), rows, jnp.int32)])
    starts = jnp.concatenate([jnp.zeros((1,), jnp.int32), ends[:-1]])
    first_tile = starts // block_m
    tiles_of_group = jnp.where(ends > starts, (ends - 1) // block_m - first_tile + 1, 0)
    last_visit = jnp.cumsum(tiles_of_group, dtype=jnp.int32)
    n_visits = last_visit[-1:]
    visit = jnp.minimum(jnp.arange(max_visits(rows, block_m, group_sizes.size), dtype=jnp.int32), n_visits - 1)
    groups = jnp.searchsorted(last_visit, visit, side="right").astype(jnp.int32)
    tiles = first_tile[groups] + visit - (last_visit - tiles_of_group)[groups]
    offsets = jnp.concatenate([starts, ends[-1:]])
    return RowTileVisits(groups, tiles.astype(jnp.int32), offsets, n_visits)


def weight_tile(
    visits: RowTileVisits, visit: jax.Array, f_tile: jax.Array, n_experts: int, f_tiles: int
) -> tuple[jax.Array, jax.Array]:
    """Return the expert and the F tile whose weights a step of the grid reads; `visits` may be blocks in SMEM.

    A step that computes nothing, a visit of the rest or one behind the last, holds the last F tile: an index that does
    not change fetches nothing.
    """
    group = visits.groups[visit]
    idle = (group == n_experts) | (visit >= visits.n_visits[0])
    return jnp.minimum(group, n_experts - 1), jnp.where(idle, f_tiles - 1, f_tile)
