// The tree as an outline: one row per branch, folded and unfolded, walked with the arrow keys (ARIA's tree pattern).

const LARGE = 60; // nodes; a larger tree starts folded
const OPEN_DEPTH = 3; // below this depth

function showTree(index) {
  const worst = worstPath(index);
  const view = { index, worst, rows: new Map(), root: null, current: null };
  const list = element("ul", { role: "tree", "aria-label": "The tree of tests", class: "tree" });
  view.root = addRow(view, list, { children: [0], names: null, outcomes: [] }, null);
  unfoldTo(view, view.root, index.nodes.length > LARGE ? OPEN_DEPTH : Infinity);
  view.root.item.tabIndex = 0;
  view.current = view.root;
  list.addEventListener("keydown", (event) => walk(view, event));
  // When the pointer leaves, the panel returns to what has the focus.
  list.addEventListener("pointerleave", () => showDetail(index, view.current.branch));
  byId("tree").replaceChildren(list);
  const ways = worst.ties > 1 ? `One of ${worst.ties} paths that cost most` : "The path that costs most";
  byId("worst-note").replaceChildren(
    element("span", { class: "key key-worst" }),
    `${ways} among the known cases (${amount(worst.cost)}) is marked with a thick line.`,
  );
  focusRow(view, view.root);
  return view;
}

function addRow(view, list, branch, parent) {
  const { index, worst } = view;
  const node = index.nodes[branch.children[0]];
  const depth = parent ? parent.depth + 1 : 0;
  const onWorst = branch.children.some((at) => worst.path.has(at));
  const group = isLeaf(node) ? null : element("ul", { role: "group", hidden: true });
  const line = rowLine(view, branch, node, onWorst);
  const item = element(
    "li",
    {
      role: "treeitem",
      tabindex: "-1",
      class: onWorst ? "on-worst" : null,
      "aria-level": depth + 1,
      "aria-expanded": group ? "false" : null,
      "data-node": branch.children[0],
    },
    line,
    group,
  );
  const row = { branch, item, group, line, parent, depth, children: null };
  item.setAttribute("aria-label", line.textContent);
  item.addEventListener("focus", () => focusRow(view, row));
  line.addEventListener("pointerenter", () => NARROW.matches || showDetail(index, branch));
  line.addEventListener("click", () => {
    item.focus({ preventScroll: true });
    if (group) setOpen(view, row, group.hidden);
  });
  for (const at of branch.children) view.rows.set(at, row);
  list.append(item);
  return row;
}

function rowLine(view, branch, node, onWorst) {
  const { index } = view;
  const { content } = index;
  const at = branch.children[0];
  const counts = sumCounts(index, branch.children);
  const line = element("div", { class: isLeaf(node) ? "row leaf" : "row" });
  line.append(element("span", { class: "fold", "aria-hidden": "true" }));
  if (branch.names) line.append(element("span", { class: "outcomes" }, branch.names.join(", ")), " ");
  const what = isLeaf(node) ? className(content, node.label) : element("b", {}, content.tests[node.test].name);
  const costs = branch.names ? [...branchPrice(index, branch), `spent ${amount(node.spent)}`] : [];
  if (!isLeaf(node)) costs.unshift(priceWords(index, at));
  line.append(element("span", { class: "what" }, what), " ", element("span", { class: "costs" }, costs.join(", ")), " ");
  line.append(element("span", { class: "size" }, stackedBar(counts), " ", element("span", {}, cases(total(counts)))));
  if (onWorst && isLeaf(node)) line.append(" ", element("span", { class: "worst-tag" }, "worst case"));
  return line;
}

// What the test above cost on this branch, where the row above could not say it because outcomes differ in price.
function branchPrice(index, branch) {
  const above = index.parent[branch.children[0]];
  const [low, high] = index.nodes[above].price;
  if (low === high) return [];
  const prices = branch.outcomes.map((outcome) => priceOf(index, above, outcome));
  return [`paid ${span(Math.min(...prices), Math.max(...prices))}`];
}

// Rows are made when first needed: a tree may have more of them than anyone will open.
function rowsBelow(view, row) {
  if (!row.children) {
    const branches = branchesOf(view.index, row.branch.children[0]);
    row.children = branches.map((branch) => addRow(view, row.group, branch, row));
  }
  return row.children;
}

function setOpen(view, row, open) {
  if (!row.group) return;
  if (open) rowsBelow(view, row);
  row.group.hidden = !open;
  row.item.setAttribute("aria-expanded", String(open));
}

function unfoldTo(view, start, depth) {
  const pending = [start];
  while (pending.length) {
    const row = pending.pop();
    if (!row.group || row.depth >= depth) continue;
    setOpen(view, row, true);
    pending.push(...row.children);
  }
}

function foldAll(view) {
  for (const row of new Set(view.rows.values())) setOpen(view, row, false);
  focusRow(view, view.root);
}

// On paper everything is open; only what was never made has to be made.
function prepareToPrint(view) {
  const pending = [view.root];
  while (pending.length) {
    const row = pending.pop();
    if (row.group) pending.push(...rowsBelow(view, row));
  }
}

// The row of a node, unfolded down to it.
function reveal(view, at) {
  const path = [];
  for (let up = at; up >= 0; up = view.index.parent[up]) path.unshift(up);
  for (const step of path.slice(0, -1)) setOpen(view, view.rows.get(step), true);
  return view.rows.get(at);
}

function focusRow(view, row) {
  view.current.item.tabIndex = -1;
  view.current = row;
  row.item.tabIndex = 0;
  placeDetail(row.line);
  showDetail(view.index, row.branch);
}

const isOpen = (row) => row.group !== null && !row.group.hidden;

function walk(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const row = view.current;
  const visible = [...byId("tree").querySelectorAll("[role=treeitem]")].filter((item) => item.offsetParent !== null);
  const place = visible.indexOf(row.item);
  const rowOf = (item) => item && view.rows.get(Number(item.dataset.node));
  const moves = {
    ArrowDown: () => rowOf(visible[place + 1]),
    ArrowUp: () => rowOf(visible[place - 1]),
    Home: () => rowOf(visible[0]),
    End: () => rowOf(visible[visible.length - 1]),
    ArrowRight: () => (isOpen(row) ? row.children[0] : setOpen(view, row, true)),
    ArrowLeft: () => (isOpen(row) ? setOpen(view, row, false) : row.parent),
    Enter: () => setOpen(view, row, !isOpen(row)),
    " ": () => setOpen(view, row, !isOpen(row)),
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const target = moves[event.key]();
  if (target) target.item.focus();
}
