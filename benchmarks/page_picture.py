"""The guide's picture of the report page, in Debian's chromium with chromium-driver.

pip install '.[test]'
python benchmarks/page_picture.py [FILE]     docs/images/report.png by default
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import budgetree as bt
from budgetree.report import summarise_frontier
from page_browser import Page, open_browser

WIDTH, HEIGHT = 1000, 1480


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "images" / "report.png")
    frame = bt.datasets.frame("wdbc")
    cells = bt.Instance.from_frame(frame, frame.columns[-1])
    content = summarise_frontier(bt.frontier(cells, budgets=[1, 2, 3, 5]), title="Breast cell samples")
    driver = open_browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = Page(driver, Path(folder))
            page.visit(content, width=WIDTH, height=HEIGHT)
            page.click("#points-frame button[data-point='2']")
            page.click("#tab-consult")
            page.enter("100")
            driver.execute_script("scrollTo(0, 0); document.activeElement.blur()")
            out.write_bytes(driver.get_screenshot_as_png())
    finally:
        driver.quit()
    print(f"the page is in {out}")


if __name__ == "__main__":
    main()
