"""A tree for other programs: rules, Graphviz, Python and SQL."""
