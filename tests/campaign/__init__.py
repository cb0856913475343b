"""Every answer beside brute force, or beside itself where nothing should change it, on random cases without end.

python -m tests.campaign [cases] [rules] [pathways] [--minutes N] [--seed S]

cases     exact search, frontiers, growers, certificates, exports and the page, beside brute force
rules     limits, fees, prices by outcome, panels, order and beginnings, beside brute force
pathways  learners for new cases: rows, columns, threads, the processor's vectors and a busy machine change nothing
"""
