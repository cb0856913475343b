// Finding a test or a diagnosis in the tree: every hit is unfolded to and marked; Enter goes to the next.

function connectSearch(currentView) {
  const box = byId("search");
  let hits = [];
  let place = -1;

  function search() {
    const view = currentView();
    document.querySelectorAll(".row.hit, .row.hit-now").forEach((line) => line.classList.remove("hit", "hit-now"));
    const rows = nodesNamed(view.index, box.value).map((at) => reveal(view, at));
    hits = [...new Set(rows)]; // leaves on one branch are one row
    hits.forEach((row) => row.line.classList.add("hit"));
    place = -1;
    report();
  }

  function report() {
    const found = place < 0 ? counted(hits.length, "hit", "hits") : `${place + 1} of ${counted(hits.length, "hit", "hits")}`;
    byId("hits").textContent = box.value.trim() ? found : "";
  }

  function step(by) {
    if (!hits.length) return;
    if (place >= 0) hits[place].line.classList.remove("hit-now");
    place = (place + by + hits.length) % hits.length;
    const { line } = hits[place];
    line.classList.add("hit-now");
    line.scrollIntoView({ block: "center" });
    focusRow(currentView(), hits[place]);
    report();
  }

  box.addEventListener("input", search);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey && place >= 0 ? -1 : 1);
  });
  return search;
}

// From top to bottom as the outline shows them.
function nodesNamed(index, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const { content, nodes } = index;
  const found = [];
  const pending = [0];
  while (pending.length) {
    const at = pending.pop();
    const node = nodes[at];
    const name = isLeaf(node) ? content.classes[node.label] : content.tests[node.test].name;
    if (name.toLowerCase().includes(wanted)) found.push(at);
    if (!isLeaf(node)) pending.push(...branchesOf(index, at).flatMap((branch) => branch.children).reverse());
  }
  return found;
}
