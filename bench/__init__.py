"""Benchmarks: each prints its figures and what they stand beside, from one run on this machine."""
