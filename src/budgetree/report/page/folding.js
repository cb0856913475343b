// How much of a tree is unfolded: whole levels of branches, as long as they fit.

/** @import { Index } from "./types.d.ts" */

/**
 * The groups to unfold from the root down, breadth first, so that no more than so many rows are shown. The root always is.
 * @param {Index} index
 * @param {number} rows
 * @returns {Set<number>}
 */
export function openGroups({ groups, above }, rows) {
  /** @type {Set<number>} */
  const open = new Set();
  let left = rows;
  groups.forEach(({ branches }, number) => {
    if (!branches || (number && (!open.has(above[number]) || branches.length > left))) return;
    open.add(number);
    left -= branches.length;
  });
  return open;
}

/** How many branches are below each group, at any depth. @param {Index} index */
export function branchesBelow({ groups, above }) {
  const below = groups.map(() => 0);
  for (let number = groups.length - 1; number > 0; number--) below[above[number]] += below[number] + 1;
  return below;
}
