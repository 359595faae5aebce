"""The two maps of the page: a quantity over a plane of two log2 axes, with borders, regimes and what is impossible."""
