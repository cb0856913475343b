"""The model file: a tree as JSON, with its published schema."""
