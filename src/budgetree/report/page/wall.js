// @ts-check
// One page for the wall: the drawing of a small tree, or of as much of a large one as can be read, and what is left out.

import { drawBoxes } from "./boxes.js";
import { byId, drawing, element } from "./dom.js";
import { openGroups } from "./folding.js";
import { planOf } from "./layout.js";
import { ruleOf } from "./model.js";
import { printOnly } from "./printing.js";
import { inUnit, say } from "./words.js";

/**
 * @typedef {import("./types.d.ts").Index} Index
 * @typedef {import("./types.d.ts").View} View
 */

const ROOM = { rows: 19, taken: 1, depth: 6 }; // beyond the first row and column, in letters that can be read

/** @param {View} view */
export function printWall(view) {
  const { index } = view;
  const open = openGroups(index, ROOM);
  const plan = planOf(index, (group) => open.has(group));
  const canvas = drawing("svg", { viewBox: `0 0 ${plan.width} ${plan.height}`, class: "wall-drawing" }, ...drawBoxes(view, plan));
  const notes = [say("wall.worst", { cost: inUnit(index.tree.max_cost) }), ...leftOut(index, plan.boxes.size)];
  byId("wall").replaceChildren(
    element("h1", {}, index.content.title),
    canvas,
    element("p", { class: "quiet" }, notes.join(" ")),
  );
  printOnly("wall");
}

/**
 * What a page of so many boxes does not say.
 * @param {Index} index
 * @param {number} shown
 */
export function leftOut({ nodes, groups }, shown) {
  const missing = groups.length - shown;
  const notes = missing ? [say("wall.left_out", { count: missing, all: groups.length }), say("wall.where")] : [];
  return nodes.some(ruleOf) ? [...notes, say("wall.models")] : notes;
}
