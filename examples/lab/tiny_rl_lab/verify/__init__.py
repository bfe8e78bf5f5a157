"""Reads every container back and re-derives what can be re-derived."""
