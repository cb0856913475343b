"""What every room may use and nobody learns from: a clock, progress, files that are written whole."""
