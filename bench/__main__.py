"""Every benchmark, one after the other: `make bench`."""

import runpy

for script in ("graph", "page", "laws_fit"):
    print(f"== bench.{script}")
    runpy.run_module(f"bench.{script}", run_name="__main__")
