// The views of the page, one at a time: by clicks, keys, and the address (#consult). On a phone they come first.

import { byId } from "./dom.js";

/** @param {HTMLElement[]} tabs @param {HTMLElement} chosen @param {boolean} focus */
function selectTab(tabs, chosen, focus) {
  for (const tab of tabs) {
    const selected = tab === chosen;
    tab.setAttribute("aria-selected", String(selected));
    tab.tabIndex = selected ? 0 : -1;
    byId(tab.getAttribute("aria-controls") ?? "").hidden = !selected;
  }
  if (focus) chosen.focus();
}

/** @param {string} first the view to open, unless the address names one @returns {boolean} whether it does */
export function connectTabs(first) {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll("[role=tab]");
  const tabs = [...found].filter((tab) => !tab.hidden);
  const tabOfAddress = () => tabs.find((tab) => `#${tab.id}` === window.location.hash.replace("#", "#tab-"));
  /** @param {HTMLElement | undefined} tab */
  const open = (tab) => tab && selectTab(tabs, tab, false);
  const named = tabOfAddress();
  open(named ?? byId(`tab-${first}`));
  window.addEventListener("hashchange", () => open(tabOfAddress()));
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      /** @type {Record<string, number>} */
      const places = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 };
      if (!(event.key in places) || event.altKey) return;
      event.preventDefault();
      selectTab(tabs, tabs[places[event.key] % tabs.length], true);
    });
  });
  return named !== undefined;
}

/**
 * The overview stands above the views, on a phone below them: there someone wants to ask the next question. It
 * is moved and not only shown elsewhere, so that keys and screen readers meet it in the same order.
 * @param {boolean} isNarrow
 */
export function placeOverview(isNarrow) {
  const views = byId("views");
  if (isNarrow) views.after(byId("overview"), byId("frontier"));
  else views.before(byId("overview"), byId("frontier"));
}
