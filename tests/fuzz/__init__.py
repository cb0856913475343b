"""Broken files, command lines and answers, and what must come of each: success, or a refusal in words.

python -m tests.fuzz --minutes 10 [--seed S] [--only NAME]
"""
