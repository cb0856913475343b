"""The version, where everyone may ask for it."""

__version__ = "0.1.0"
