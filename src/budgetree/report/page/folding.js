// How much of a tree is unfolded: whole levels of branches, as long as they fit.

/** @import { Index } from "./types.d.ts" */

/**
 * The groups to unfold from the root down, breadth first, so that no more than so many rows are shown. The root always
 * is. `taken` is what a group keeps of its own: an outline has a row for it too (0), a drawing does not (1).
 * @param {Index} index
 * @param {{ rows: number, taken: number, depth?: number }} room
 * @returns {Set<number>}
 */
export function openGroups({ groups, above }, { rows, taken, depth = Infinity }) {
  /** @type {Set<number>} */
  const open = new Set();
  /** @type {number[]} */
  const depths = [];
  let left = rows;
  groups.forEach((group, number) => {
    depths[number] = number ? depths[above[number]] + 1 : 0;
    if (!group.branches || (number && !open.has(above[number]))) return;
    const more = group.branches.length - taken;
    if (number && (more > left || depths[number] >= depth)) return;
    open.add(number);
    left -= more;
  });
  return open;
}

/** How many branches are below each group, at any depth. @param {Index} index */
export function branchesBelow({ groups, above }) {
  const below = groups.map(() => 0);
  for (let number = groups.length - 1; number > 0; number--) below[above[number]] += below[number] + 1;
  return below;
}
