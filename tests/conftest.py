"""Hypothesis without deadlines: the first call may compile a kernel."""

from hypothesis import settings

settings.register_profile("budgetree", deadline=None, max_examples=60)
settings.load_profile("budgetree")
