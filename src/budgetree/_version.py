"""The version, where everyone may ask for it."""

__version__ = "1.0.0"
