"""The picture of the README: a pathway in stages for the bundled breast cancer table.

python docs/pictures/readme.py [FILE]     docs/images/pathway.svg by default
"""

import sys
from pathlib import Path

import budgetree as bt

file = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "images/pathway.svg")
frame = bt.datasets.frame("wdbc")
tree = bt.fit(bt.Instance.from_frame(frame, frame.columns[-1]), budget=3, leaves="points").tree
names = {name: name.replace("_", " ") for name in tree.test_names}
file.write_text(tree.with_labels(bt.Labels(tests=names)).to_svg(), encoding="utf-8")
