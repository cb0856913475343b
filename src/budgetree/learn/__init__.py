"""Learning: greedy growth by the paper's rule."""

from budgetree.learn.greedy import grow, warm_up

__all__ = ["grow", "warm_up"]
