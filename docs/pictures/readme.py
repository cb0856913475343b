"""The picture of the README: a pathway in stages for the bundled breast cancer table (python docs/pictures/readme.py)."""

from pathlib import Path

import budgetree as bt

images = Path(__file__).parent.parent / "images"
frame = bt.datasets.frame("wdbc")
tree = bt.fit(bt.Instance.from_frame(frame, frame.columns[-1]), budget=3, leaves="points").tree
names = {name: name.replace("_", " ") for name in tree.test_names}
(images / "pathway.svg").write_text(tree.with_labels(bt.Labels(tests=names)).to_svg(), encoding="utf-8")
