"""New cases: pathways that buy tests within a hard budget, for the lowest error on unseen cases.

sample         some of the known cases, drawn by their content
judge          how well a set of tests predicts, by forests on cases left out
branching      where two groups of cases should buy different tests
growth         which test to buy next, and what a path has paid
exact_start    the exact tree as one more start
basis          an outcome of a test → columns of a linear model
ridge          the additive model of a set of tests
boosting       the same, corrected by small trees
points         an additive model as whole points, one table for all stages
small_tree     a plain tree on the tests of a chain
select         which kind of leaf: the simplest that is good enough
stages         where along a chain of tests cases may stop
staging        a chain of points with its stages → Tree
policy         what grew, with models and rules for stopping → Tree
fit            an Instance of fine codes → pathways
trees          the verb
"""
