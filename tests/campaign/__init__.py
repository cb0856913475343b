"""Every answer beside brute force, on random cases without end.

python -m tests.campaign --minutes 10 [--seed S]
"""
