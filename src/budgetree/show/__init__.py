"""What people see of a tree or a frontier: text, drawings, tables, plots, and the tree in other languages."""
