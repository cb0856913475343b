"""New cases: policies that buy tests within a hard budget, for the lowest error on cases that nobody has seen.

fine_levels    an Instance → one of fine codes
basis          an outcome of a test → columns of a linear model
ridge          the model of a set of tests, and the honest loss of every case
spending       what a path has paid
branching      where two groups of cases should buy different tests
growth         which test to buy next
starts         whether another first test would have been better
exact_start    the exact tree as one more start
distillation   plain trees instead of models
assembly       → Policy
fit            all of it
"""
