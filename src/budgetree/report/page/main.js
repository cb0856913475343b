// Everything together: the data, the tabs, and what changes when another tree is picked.

const content = JSON.parse(byId("content").textContent);
const shown = { view: null, session: null };
const search = connectSearch(() => shown.view);

function showOneTree(tree) {
  const index = indexTree(content, tree);
  showFacts(tree);
  showProof(tree);
  shown.view = showTree(index);
  shown.session = startConsultation(index);
  search();
}

function selectTab(tabs, chosen, focus) {
  for (const tab of tabs) {
    const selected = tab === chosen;
    tab.setAttribute("aria-selected", String(selected));
    tab.tabIndex = selected ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !selected;
  }
  if (focus) chosen.focus();
}

function connectTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  selectTab(tabs, tabs[0], false);
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => selectTab(tabs, tab, false));
    tab.addEventListener("keydown", (event) => {
      const places = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 };
      if (!(event.key in places) || event.altKey) return;
      event.preventDefault();
      selectTab(tabs, tabs[places[event.key] % tabs.length], true);
    });
  });
}

// Backspace and Alt+Left go back a step of the consultation, but never take a letter from someone who types.
function connectBackKeys() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea") !== null;
    const back = event.key === "Backspace" || (event.key === "ArrowLeft" && event.altKey);
    if (!back || typing || byId("panel-consult").hidden) return;
    if (goBack(shown.session)) event.preventDefault();
  });
}

function connectPrinting() {
  window.addEventListener("beforeprint", () => prepareToPrint(shown.view));
  window.matchMedia("print").addEventListener("change", (event) => event.matches && prepareToPrint(shown.view));
}

showSubtitle(content);
showPrices(content);
connectTabs();
connectBackKeys();
connectPrinting();
NARROW.addEventListener("change", () => placeDetail(shown.view.current.line));
byId("unfold-all").addEventListener("click", () => unfoldTo(shown.view, shown.view.root, Infinity));
byId("fold-all").addEventListener("click", () => foldAll(shown.view));
if (content.points.length > 1) {
  const pick = (at) => {
    mark(at);
    showOneTree(content.trees[content.points[at].tree]);
  };
  const mark = showFrontier(content, pick);
  pick(Math.max(content.points.findIndex((point) => point.tree === content.chosen), 0));
} else {
  showOneTree(content.trees[content.chosen]);
}
