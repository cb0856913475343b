// The tree as an outline: one row per branch, folded and unfolded, walked with the arrow keys (ARIA's tree pattern).
// Which outcomes share a branch was decided in Python (show/outline.py), so that the page and to_text say the same.

import { byId, cases, element, span, stackedBar, total } from "./dom.js";
import { buyAt, byWords, countsIn, isLeaf, leafWords, priceWords, stageWords, worstPath } from "./model.js";
import { narrow, showDetail } from "./detail.js";
import { openGroups } from "./folding.js";
import { inUnit, listed, ofEach, say } from "./words.js";

/** @import { Branch, Index, Row, View } from "./types.d.ts" */

const ROW_HEIGHT = { wide: 36, narrow: 64 }; // about, in pixels
const FEWEST_ROWS = 8; // that are unfolded, however low the window is
export const MAX_DEPTH = 100; // tests; what is deeper is unfolded by hand: browsers take minutes for a thousand levels

/** @param {Index} index @returns {View} */
export function showTree(index) {
  const worst = worstPath(index);
  const list = element("ul", { role: "tree", "aria-label": say("tree.label"), class: "tree" });
  const view = /** @type {View} */ ({ index, worst, rows: new Map(), folded: () => {} });
  view.root = addRow(view, list, 0, null, null);
  view.current = view.root;
  for (const group of openGroups(index, rowsThatFit() - 1)) setOpen(view, rowOf(view, group), true);
  list.addEventListener("keydown", (event) => walk(view, event));
  // When the pointer leaves, what has the focus is shown again.
  list.addEventListener("pointerleave", () => showDetail(index, view.current));
  byId("tree").replaceChildren(list);
  byId("worst-note").replaceChildren(
    element("span", { class: "key key-worst" }),
    say("tree.worst", { count: worst.ties, cost: inUnit(worst.cost) }),
  );
  focusRow(view, view.root);
  return view;
}

/** A large tree starts with what a window can show. */
function rowsThatFit() {
  const height = narrow().matches ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide;
  return Math.max(Math.floor(window.innerHeight / height), FEWEST_ROWS);
}

/** @param {View} view @param {HTMLUListElement} within @param {number} group @param {Branch | null} branch @param {Row | null} parent @returns {Row} */
function addRow(view, within, group, branch, parent) {
  const { index, worst } = view;
  const depth = parent ? parent.depth + 1 : 0;
  const onWorst = worst.groups.has(group);
  const list = index.groups[group].branches ? element("ul", { role: "group", hidden: true }) : null;
  const line = rowLine(index, group, branch, onWorst);
  const place = { role: "treeitem", tabindex: -1, "aria-level": depth + 1, "data-group": group };
  for (const [name, value] of Object.entries(place)) line.setAttribute(name, String(value));
  if (list) line.setAttribute("aria-expanded", "false");
  /** @type {Row} */
  const row = { group, branch, list, line, parent, depth, below: null };
  line.addEventListener("focus", () => focusRow(view, row));
  line.addEventListener("pointerenter", () => narrow().matches || showDetail(index, row));
  line.addEventListener("click", () => {
    line.focus({ preventScroll: true });
    if (list) setOpen(view, row, Boolean(list.hidden));
  });
  view.rows.set(group, row);
  within.append(element("li", { role: "none", class: onWorst ? "on-worst" : null }, line, list));
  return row;
}

/** @param {Index} index @param {number} group @param {Branch | null} branch @param {boolean} onWorst */
export function rowLine(index, group, branch, onWorst) {
  const shown = index.groups[group];
  const node = index.nodes[shown.nodes[0]];
  const counts = countsIn(index, shown);
  const line = element("div", { class: isLeaf(node) ? "row leaf" : "row" });
  line.append(element("span", { class: "fold", "aria-hidden": "true" }));
  if (branch?.names.length) line.append(element("span", { class: "outcomes" }, listed(branch.names)), " ");
  const what = isLeaf(node)
    ? element("span", {}, ...leafWords(index, node))
    : element("span", {}, element("b", {}, stageWords(index, shown).asked));
  const costs = branch ? [...branchPrice(index, group, branch), say("tree.spent", { amount: ofEach(index, ({ nodes }) => nodes[shown.nodes[0]].spent) })] : [];
  if (!isLeaf(node)) costs.unshift(priceWords(index, shown.buys ?? []));
  line.append(element("span", { class: "what" }, what), " ", element("span", { class: "costs" }, listed(costs)), " ");
  const by = isLeaf(node) ? "" : byWords(index, shown, group);
  if (by) line.append(element("span", { class: "costs" }, say("tree.by", { what: by })), " ");
  line.append(element("span", { class: "size" }, stackedBar(counts), " ", element("span", {}, cases(total(counts)))));
  if (onWorst && isLeaf(node)) line.append(" ", element("span", { class: "worst-tag" }, say("tree.worst_tag")));
  return line;
}

/**
 * What the test above cost on this branch, where the row above could not say it because outcomes differ in price.
 * @param {Index} index
 * @param {number} group
 * @param {Branch} branch
 */
function branchPrice(index, group, { outcomes }) {
  const { buys = [] } = index.groups[index.above[group]];
  const buy = buys.at(-1);
  if (buy === undefined || !outcomes?.length) return [];
  const { charge } = buyAt(index, buy);
  if (Math.min(...charge) === Math.max(...charge)) return [];
  const prices = outcomes.map((outcome) => charge[outcome]);
  return [say("tree.paid", { amount: span(Math.min(...prices), Math.max(...prices)) })];
}

/** Rows are made when first needed: a tree may have more of them than anyone will open. @param {View} view @param {Row} row */
function rowsBelow(view, row) {
  const { list } = row;
  const branches = view.index.groups[row.group].branches;
  if (!list || !branches) return [];
  row.below ??= branches.map((branch) => addRow(view, list, branch.below, branch, row));
  return row.below;
}

/** @param {View} view @param {Row} row @param {boolean} open */
export function setOpen(view, row, open) {
  if (!row.list) return;
  if (open) rowsBelow(view, row);
  row.list.hidden = !open;
  row.line.setAttribute("aria-expanded", String(open));
  view.folded();
}

/** @param {View} view */
export function unfoldAll(view) {
  const pending = [view.root];
  for (let row = pending.pop(); row; row = pending.pop()) {
    if (!row.list || row.depth >= MAX_DEPTH) continue;
    setOpen(view, row, true);
    pending.push(...rowsBelow(view, row));
  }
}

/** @param {View} view */
export function foldAll(view) {
  for (const row of view.rows.values()) setOpen(view, row, false);
  focusRow(view, view.root);
}

/** On paper everything is open; only what was never made has to be made. @param {View} view */
export function prepareToPrint(view) {
  const pending = [view.root];
  for (let row = pending.pop(); row; row = pending.pop()) {
    if (row.depth < MAX_DEPTH) pending.push(...rowsBelow(view, row));
  }
}

/** The row of a group, unfolded down to it. @param {View} view @param {number} group */
export function reveal(view, group) {
  const path = [];
  for (let up = view.index.above[group]; up >= 0; up = view.index.above[up]) path.unshift(up);
  for (const number of path) setOpen(view, rowOf(view, number), true);
  return rowOf(view, group);
}

/** @type {(view: View, group: number) => Row} */
export const rowOf = (view, group) => /** @type {Row} */ (view.rows.get(group));

/** @param {View} view @param {Row} row */
export function focusRow(view, row) {
  view.current.line.tabIndex = -1;
  view.current = row;
  row.line.tabIndex = 0;
  showDetail(view.index, row);
}

/** @type {(row: Row) => boolean} */
export const isOpen = (row) => row.list !== null && !row.list.hidden;

/** @param {View} view @param {KeyboardEvent} event */
function walk(view, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const row = view.current;
  /** @type {NodeListOf<HTMLElement>} */
  const items = byId("tree").querySelectorAll("[role=treeitem]");
  const visible = [...items].filter((item) => item.offsetParent !== null);
  const place = visible.indexOf(row.line);
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
  if (target) target.line.focus();
}
