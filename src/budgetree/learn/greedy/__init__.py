"""Greedy growth: the exact rule, the plain and the native grower, and the portfolio whose trees make a frontier."""
