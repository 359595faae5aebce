"""Two rivals' own training call, timed in their own environment: value only, one configuration a call.

Run by `python -m bench.graph` with the interpreter of `.venv-peers` (`make bench` fills it).
"""

import logging
import time
from collections.abc import Callable

logging.disable(logging.CRITICAL)


def rate(call: Callable[[], object], seconds: float = 1.0) -> float:
    """Calls for each CPU-second, after one call that is not counted."""
    call()
    start, calls = time.process_time(), 0
    while time.process_time() - start < seconds:
        call()
        calls += 1
    return calls / (time.process_time() - start)


def llm_analysis() -> tuple[str, float]:
    """LLaMA 65B on A100, tensor 8 by pipeline 8."""
    from llm_analysis.analysis import LLMAnalysis
    from llm_analysis.config import (
        ParallelismConfig,
        get_dtype_config_by_name,
        get_gpu_config_by_name,
        get_model_config_by_name,
    )

    analysis = LLMAnalysis(
        get_model_config_by_name("decapoda-research_llama-65b-hf"),
        get_gpu_config_by_name("a100-sxm-80gb"),
        get_dtype_config_by_name("w16a16e16"),
        ParallelismConfig(tp_size=8, pp_size=8, dp_size=1),
        flops_efficiency=0.5,
        hbm_memory_efficiency=0.8,
    )
    what = {"batch_size_per_gpu": 1, "gradient_accumulation_steps": 8, "seq_len": 2048, "total_num_tokens": 10**12}
    return "llm-analysis 0.2.2, LLMAnalysis.training", rate(lambda: analysis.training(**what))


def mlsysim() -> tuple[str, float]:
    """Llama-3 70B on a cluster of H100."""
    from mlsysim import Models, Systems
    from mlsysim.engine.solvers.distributed import DistributedModel

    solver, fleet = DistributedModel(), Systems.Clusters.Research_256
    what = {"batch_size": 512, "tp_size": 8, "seq_len": 4096}
    return "mlsysim 0.3.0, DistributedModel.solve", rate(
        lambda: solver.solve(Models.Language.Llama3_70B, fleet, **what)
    )


if __name__ == "__main__":
    for timed in (llm_analysis, mlsysim):
        name, calls = timed()
        print(f"{name}\t{calls}")
