"""A page in headless Chromium, driven as a person would: by clicks and keys."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from budgetree.report import render_page

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--lang=en-US",
)
# Everything that a consultation shows, in one question to the browser.
STATE = """
const text = (selector) => document.querySelector(selector)?.textContent ?? null;
const card = document.querySelector("#question .card");
return {
  state: card.dataset.state, class: card.dataset.class ?? null, heading: text("#question h3"), price: text(".price"),
  spent: text("#spent"), left: text("#left"), inAll: text("#spent-in-all"), history: text("#history"),
  bars: text("#progress .bars"), problem: text(".problem"), notice: text("#question .notice"),
  said: text("#announcement"),
};
"""


def open_browser() -> webdriver.Chrome:
    """Chromium that keeps its console for us to read."""
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


class Page:
    """One report in the browser."""

    def __init__(self, driver: webdriver.Chrome, folder: Path) -> None:
        self.driver = driver
        self.folder = folder

    def open(self, content: dict[str, Any], *, width: int = 1200, height: int = 900, tab: str = "tree") -> None:
        """The page with a view of it, whichever it opens with."""
        self.visit(content, width=width, height=height)
        if self.find(f"#tab-{tab}").get_attribute("aria-selected") != "true":
            self.click(f"#tab-{tab}")

    def visit(
        self,
        content: dict[str, Any],
        address: str = "",
        *,
        width: int = 1200,
        height: int = 900,
        language: str | None = None,
    ) -> None:
        """The page as its address ("?budget=3", "#consult") opens it."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        file = self.folder / "page.html"
        file.write_text(render_page(content, language=language), encoding="utf-8")
        self.driver.get("about:blank")  # or an address that differs after its # alone would not load the page again
        self.driver.get(file.as_uri() + address)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self.find(selector).click()

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def script(self, source: str, *given: Any) -> Any:
        return self.driver.execute_script(source, *given)

    def press(self, *keys: str) -> None:
        """Keys for whatever has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def press_with_alt(self, key: str) -> None:
        ActionChains(self.driver).key_down(Keys.ALT).send_keys(key).key_up(Keys.ALT).perform()

    def emulate(self, media: str = "", **features: str) -> None:
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": listed})

    def pdf(self) -> bytes:
        settings = {"printBackground": True, "preferCSSPageSize": True}
        answer = self.driver.execute_cdp_cmd("Page.printToPDF", settings)
        return base64.b64decode(answer["data"])

    def state(self) -> dict[str, Any]:
        """What the consultation shows."""
        shown: dict[str, Any] = self.script(STATE)
        return shown

    def facts(self) -> list[str]:
        """Worst case, mean cost and errors, as the overview says them."""
        return [each.text for each in self.find_all("#facts .value")]

    def answer(self, outcome: int | str) -> None:
        """Press the button of an outcome."""
        self.click(f".answers [data-outcome='{outcome}']")

    def enter(self, value: str) -> None:
        """Type a value and press Enter."""
        field = self.find("#value")
        field.clear()
        field.send_keys(value, Keys.ENTER)

    def accessible(self) -> list[tuple[str, str]]:
        """Role and name of everything that a screen reader meets, in its order."""
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        heard = [node for node in nodes if not node.get("ignored")]
        return [(node["role"]["value"], str(node.get("name", {}).get("value", ""))) for node in heard]

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]
