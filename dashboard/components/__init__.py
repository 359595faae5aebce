"""The HTML pieces of the page: for each a Python module, and an ES module and a style sheet of the same name."""
