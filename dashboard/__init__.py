"""Scalegrad."""
