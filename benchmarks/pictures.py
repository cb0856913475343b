"""The two pictures of the README: a tree, and what every budget buys.

pip install '.[plot]'
python benchmarks/pictures.py [FOLDER]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl

import budgetree as bt

mpl.use("Agg")  # into files, also where there is no screen
folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

frontier = bt.frontier(bt.datasets.load("pima"), objective="known")
pathway = frontier.best(budget=2).tree
pictures = {"frontier.png": bt.plot_frontier(frontier), "tree.png": bt.plot_tree(pathway)}
for name, axes in pictures.items():
    axes.figure.savefig(folder / name, dpi=120)
(folder / "tree.svg").write_text(pathway.to_svg(), encoding="utf-8")  # needs no matplotlib
print(f"frontier.png, tree.png and tree.svg are in {folder}")
