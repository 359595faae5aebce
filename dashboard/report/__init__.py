"""The live report: the page as one HTML file that computes by itself, without a server."""
