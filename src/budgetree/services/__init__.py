"""What every layer may use: a clock, progress, files that are written whole."""
