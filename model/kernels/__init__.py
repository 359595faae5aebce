"""The fused expert MLP of a mixture of experts and the planner that says where it pays."""

from model.kernels.fused_moe import Backend, Plan, fused_moe_mlp, plan_fused_moe
from model.kernels.reference import ACTIVATIONS, Activation, ragged_moe_mlp
from model.kernels.tiles import DoesNotFit, Problem, Strategy, Tiles, choose_tiles

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "Backend",
    "DoesNotFit",
    "Plan",
    "Problem",
    "Strategy",
    "Tiles",
    "choose_tiles",
    "fused_moe_mlp",
    "plan_fused_moe",
    "ragged_moe_mlp",
]
