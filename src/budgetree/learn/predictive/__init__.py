"""New cases: policies that buy tests within a hard budget, for the lowest error on cases that nobody has seen."""
