// @ts-check
// The tree as an outline: one row per branch, folded and unfolded, walked with the arrow keys (ARIA's tree pattern).
// Which outcomes share a branch was decided in Python (show/outline.py), so that the page and to_text say the same.

import { amount, byId, cases, className, element, span, stackedBar, total } from "./dom.js";
import { firstHighest } from "./losses.js";
import { countsIn, innerNode, isLeaf, isPurchase, nodeShares, priceOf, priceWords, worstPath } from "./model.js";
import { narrow, placeDetail, showDetail } from "./detail.js";

/**
 * @typedef {import("./types.d.ts").Branch} Branch
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").Row} Row
 * @typedef {import("./types.d.ts").View} View
 */

const LARGE = 60; // nodes; a larger tree starts folded
const OPEN_DEPTH = 3; // below this depth
export const MAX_DEPTH = 100; // tests; what is deeper is unfolded by hand: browsers take minutes for a thousand levels

/**
 * @param {Index} index
 * @returns {View}
 */
export function showTree(index) {
  const worst = worstPath(index);
  const list = element("ul", { role: "tree", "aria-label": "The tree of tests", class: "tree" });
  const view = /** @type {View} */ ({ index, worst, rows: new Map() });
  view.root = addRow(view, list, 0, null, null);
  view.current = view.root;
  unfoldTo(view, view.root, index.nodes.length > LARGE ? OPEN_DEPTH : Infinity);
  list.addEventListener("keydown", (event) => walk(view, event));
  // When the pointer leaves, the panel returns to what has the focus.
  list.addEventListener("pointerleave", () => showDetail(index, view.current));
  byId("tree").replaceChildren(list);
  const path = worst.ties > 1 ? `One of ${worst.ties} paths that cost most` : "The path that costs most";
  byId("worst-note").replaceChildren(
    element("span", { class: "key key-worst" }),
    `${path} among the known cases (${amount(worst.cost)}) is marked with a thick line.`,
  );
  focusRow(view, view.root);
  return view;
}

/**
 * @param {View} view
 * @param {HTMLUListElement} within
 * @param {number} group
 * @param {Branch | null} branch
 * @param {Row | null} parent
 * @returns {Row}
 */
function addRow(view, within, group, branch, parent) {
  const { index, worst } = view;
  const depth = parent ? parent.depth + 1 : 0;
  const onWorst = worst.groups.has(group);
  const list = index.groups[group].branches ? element("ul", { role: "group", hidden: true }) : null;
  const line = rowLine(index, group, branch, onWorst);
  const item = element(
    "li",
    {
      role: "treeitem",
      tabindex: "-1",
      class: onWorst ? "on-worst" : null,
      "aria-level": depth + 1,
      "aria-expanded": list ? "false" : null,
      "data-group": group,
    },
    line,
    list,
  );
  /** @type {Row} */
  const row = { group, branch, item, list, line, parent, depth, below: null };
  item.setAttribute("aria-label", line.textContent ?? "");
  item.addEventListener("focus", () => focusRow(view, row));
  line.addEventListener("pointerenter", () => narrow().matches || showDetail(index, row));
  line.addEventListener("click", () => {
    item.focus({ preventScroll: true });
    if (list) setOpen(view, row, Boolean(list.hidden));
  });
  view.rows.set(group, row);
  within.append(item);
  return row;
}

/**
 * @param {Index} index
 * @param {number} group
 * @param {Branch | null} branch
 * @param {boolean} onWorst
 */
export function rowLine(index, group, branch, onWorst) {
  const at = index.groups[group].nodes[0];
  const node = index.nodes[at];
  const counts = countsIn(index, index.groups[group]);
  const line = element("div", { class: isLeaf(node) ? "row leaf" : "row" });
  line.append(element("span", { class: "fold", "aria-hidden": "true" }));
  if (branch) line.append(element("span", { class: "outcomes" }, branch.names.join(", ")), " ");
  const what = isLeaf(node)
    ? element("span", {}, ...leafWords(index, at))
    : element("b", {}, `${isPurchase(index, at) ? "buy " : ""}${index.content.tests[node.test].name}`);
  const costs = branch ? [...branchPrice(index, at, branch), `spent ${amount(node.spent)}`] : [];
  if (!isLeaf(node)) costs.unshift(priceWords(index, at));
  line.append(element("span", { class: "what" }, what), " ", element("span", { class: "costs" }, costs.join(", ")), " ");
  line.append(element("span", { class: "size" }, stackedBar(counts), " ", element("span", {}, cases(total(counts)))));
  if (onWorst && isLeaf(node)) line.append(" ", element("span", { class: "worst-tag" }, "worst case"));
  return line;
}

/**
 * The answer, or what most cases of a model are.
 * @param {Index} index
 * @param {number} at
 */
function leafWords(index, at) {
  const { content, tree } = index;
  if (!tree.models) return [className(content, index.nodes[at].label)];
  return ["by a model, mostly ", className(content, firstHighest(nodeShares(index, at)))];
}

/**
 * What the test above cost on this branch, where the row above could not say it because outcomes differ in price.
 * @param {Index} index
 * @param {number} at
 * @param {Branch} branch
 */
function branchPrice(index, at, branch) {
  const above = index.parent[at];
  const [low, high] = innerNode(index, above).price;
  if (low === high) return [];
  if (isPurchase(index, above) || !branch.outcomes.length) return [];
  const prices = branch.outcomes.map((outcome) => priceOf(index, above, outcome));
  return [`paid ${span(Math.min(...prices), Math.max(...prices))}`];
}

/**
 * Rows are made when first needed: a tree may have more of them than anyone will open.
 * @param {View} view
 * @param {Row} row
 */
function rowsBelow(view, row) {
  const { list } = row;
  const branches = view.index.groups[row.group].branches;
  if (!list || !branches) return [];
  row.below ??= branches.map((branch) => addRow(view, list, branch.below, branch, row));
  return row.below;
}

/**
 * @param {View} view
 * @param {Row} row
 * @param {boolean} open
 */
function setOpen(view, row, open) {
  if (!row.list) return;
  if (open) rowsBelow(view, row);
  row.list.hidden = !open;
  row.item.setAttribute("aria-expanded", String(open));
}

/**
 * @param {View} view
 * @param {Row} start
 * @param {number} depth
 */
export function unfoldTo(view, start, depth) {
  const pending = [start];
  for (let row = pending.pop(); row; row = pending.pop()) {
    if (!row.list || row.depth >= Math.min(depth, MAX_DEPTH)) continue;
    setOpen(view, row, true);
    pending.push(...rowsBelow(view, row));
  }
}

/** @param {View} view */
export function foldAll(view) {
  for (const row of view.rows.values()) setOpen(view, row, false);
  focusRow(view, view.root);
}

/**
 * On paper everything is open; only what was never made has to be made.
 * @param {View} view
 */
export function prepareToPrint(view) {
  const pending = [view.root];
  for (let row = pending.pop(); row; row = pending.pop()) {
    if (row.depth < MAX_DEPTH) pending.push(...rowsBelow(view, row));
  }
}

/**
 * The row of a group, unfolded down to it.
 * @param {View} view
 * @param {number} group
 */
export function reveal(view, group) {
  const path = [];
  for (let up = view.index.above[group]; up >= 0; up = view.index.above[up]) path.unshift(up);
  for (const number of path) setOpen(view, rowOf(view, number), true);
  return rowOf(view, group);
}

/** @type {(view: View, group: number) => Row} */
const rowOf = (view, group) => /** @type {Row} */ (view.rows.get(group));

/**
 * @param {View} view
 * @param {Row} row
 */
export function focusRow(view, row) {
  view.current.item.tabIndex = -1;
  view.current = row;
  row.item.tabIndex = 0;
  placeDetail(row.line);
  showDetail(view.index, row);
}

/** @type {(row: Row) => boolean} */
const isOpen = (row) => row.list !== null && !row.list.hidden;

/**
 * @param {View} view
 * @param {KeyboardEvent} event
 */
function walk(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const row = view.current;
  /** @type {NodeListOf<HTMLElement>} */
  const items = byId("tree").querySelectorAll("[role=treeitem]");
  const visible = [...items].filter((item) => item.offsetParent !== null);
  const place = visible.indexOf(row.item);
  /** @type {(at: number) => Row | undefined} */
  const visibleRow = (at) => (visible[at] ? rowOf(view, Number(visible[at].dataset.group)) : undefined);
  /** @type {Record<string, () => Row | null | undefined | void>} */
  const moves = {
    ArrowDown: () => visibleRow(place + 1),
    ArrowUp: () => visibleRow(place - 1),
    Home: () => visibleRow(0),
    End: () => visibleRow(visible.length - 1),
    ArrowRight: () => (isOpen(row) ? rowsBelow(view, row)[0] : setOpen(view, row, true)),
    ArrowLeft: () => (isOpen(row) ? setOpen(view, row, false) : row.parent),
    Enter: () => setOpen(view, row, !isOpen(row)),
    " ": () => setOpen(view, row, !isOpen(row)),
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const target = moves[event.key]();
  if (target) target.item.focus();
}
