"""Exact search: the fewest errors that any tree makes within a budget, proven."""
