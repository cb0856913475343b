"""New cases: policies that buy tests within a hard budget, for the lowest error on unseen cases.

basis          an outcome of a test → columns of a linear model
ridge          the model of a set of tests, and the leave-one-out loss of every case
branching      where two groups of cases should buy different tests
growth         which test to buy next, and what a path has paid
exact_start    the exact tree as one more start
distillation   plain trees instead of models
fit            an Instance of fine codes → Policy
tree_making    → Tree
points         an additive model as whole points, one table for all stages
stages         where along a chain of tests cases may stop
staging        a chain with its stages → Tree
small_tree     a plain tree on the tests of a chain
select         which kind of leaf: the simplest that is good enough
"""
