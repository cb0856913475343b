// Where the boxes of the drawing are: a column per test on the path, a line per branch that goes no further.

/** @import { Box, Index, Plan } from "./types.d.ts" */

export const BOX = { width: 204, height: 44 };
const STEP = { across: BOX.width + 44, down: BOX.height + 10 };
const MARGIN = 12;
const LARGEST = 3; // times life size

/**
 * Groups are numbered parents first, so one pass down finds who is shown, and one pass up who stands where.
 * @param {Index} index
 * @param {(group: number) => boolean} isUnfolded
 * @returns {Plan}
 */
export function planOf(index, isUnfolded) {
  /** @type {Map<number, Box>} */
  const boxes = new Map();
  /** @type {{ group: number, depth: number, branch: Box["branch"], above: number }[]} */
  const pending = [{ group: 0, depth: 0, branch: null, above: -1 }];
  let line = 0;
  let columns = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { group, depth, branch, above } = next;
    const branches = index.groups[group].branches ?? [];
    const unfolded = branches.length > 0 && isUnfolded(group);
    const y = unfolded ? 0 : line++ * STEP.down;
    boxes.set(group, { group, branch, above, x: MARGIN + depth * STEP.across, y: MARGIN + y, unfolded });
    columns = Math.max(columns, depth);
    if (!unfolded) continue;
    const below = branches.map((one) => ({ group: one.below, depth: depth + 1, branch: one, above: group }));
    pending.push(...below.reverse());
  }
  // Upwards: a box stands in the middle of the first and the last below it.
  for (const box of [...boxes.values()].reverse()) {
    if (!box.unfolded) continue;
    const [first, ...others] = (index.groups[box.group].branches ?? []).map((branch) => /** @type {Box} */ (boxes.get(branch.below)));
    box.y = (first.y + (others.at(-1) ?? first).y) / 2;
  }
  const width = 2 * MARGIN + columns * STEP.across + BOX.width;
  return { boxes, width, height: 2 * MARGIN + (line - 1) * STEP.down + BOX.height };
}

/**
 * The part of a plane that a frame shows: of this size, at most so enlarged, and never beside what there is to see.
 * @param {{ x: number, y: number, scale: number }} wanted
 * @param {{ width: number, height: number }} plan
 * @param {{ width: number, height: number }} frame
 */
export function keptInside({ x, y, scale }, plan, frame) {
  const size = limited(scale, plan, frame);
  return { x: within(x, plan.width, frame.width / size), y: within(y, plan.height, frame.height / size), scale: size };
}

/**
 * From all of it to three times life size.
 * @param {number} scale
 * @param {{ width: number, height: number }} plan
 * @param {{ width: number, height: number }} frame
 */
export const limited = (scale, plan, frame) => Math.min(Math.max(scale, fitting(plan, frame)), LARGEST);

/** What is smaller than its window stands in its middle. @param {number} start @param {number} all @param {number} shown */
function within(start, all, shown) {
  return shown >= all ? (all - shown) / 2 : Math.min(Math.max(start, 0), all - shown);
}

/**
 * The scale at which all of it is seen, and nothing is larger than life.
 * @param {{ width: number, height: number }} plan
 * @param {{ width: number, height: number }} frame
 */
export const fitting = (plan, frame) => Math.min(frame.width / plan.width, frame.height / plan.height, 1);

/**
 * The same point stays under the pointer (px, py of the frame) while the scale changes.
 * @param {{ x: number, y: number, scale: number }} view
 * @param {number} factor
 * @param {number} px
 * @param {number} py
 */
export function zoomed({ x, y, scale }, factor, px, py) {
  const next = scale * factor;
  return { x: x + px / scale - px / next, y: y + py / scale - py / next, scale: next };
}
