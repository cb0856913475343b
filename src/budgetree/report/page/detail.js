// The branch under the pointer or in focus: how many cases, what they have cost and may still cost, which classes.

import { byId, className, classBars, element, percent, rowHead, total, visible } from "./dom.js";
import { lossOf } from "./losses.js";
import { countsIn, fixedAnswer, isLeaf, leafWords, priceWords, ruleOf, stageWords, testWords } from "./model.js";
import { amount, listed, ofEach, say, sayParts } from "./words.js";

/** @import { Group, Index, Row } from "./types.d.ts" */

/** A phone, or a narrow window; paper begins as a wide one does. */
export const narrow = () => window.matchMedia("screen and (max-width: 59.99rem)");

/** How many points each result of a stage counts, where it adds up points. @param {Index} index @param {Group} group */
export function pointsTable({ content }, { points }) {
  if (!points?.length) return null;
  const rows = points.map(({ test, names, results, else: otherwise }) => {
    const counts = results.map(([, sum], at) => `${names[at].join(say("list.or"))}: ${sum}`);
    return element("tr", {}, rowHead(content.tests[test].name), element("td", {}, [...counts, `${say("wall.unknown")}: ${otherwise}`].join(" | ")));
  });
  return element("table", { class: "stage-points" }, element("tbody", {}, ...rows));
}

/** @param {Index} index @param {Pick<Row, "group" | "branch">} row */
export function showDetail(index, row) {
  const { content } = index;
  const group = index.groups[row.group];
  const node = index.nodes[group.nodes[0]];
  const counts = countsIn(index, group);
  const all = total(counts);
  const facts = [
    [say("detail.known"), say("detail.of_all", { amount: all, share: percent(all, total(index.nodes[0].counts)) })],
    [say("detail.spent"), ofEach(index, ({ nodes }) => nodes[group.nodes[0]].spent)],
  ];
  const heading = element("h3", {});
  if (isLeaf(node)) {
    const rule = ruleOf(node);
    if (rule) facts.push([say("detail.answered"), say(`detail.${rule}`, { tests: testWords(index, node.totals ?? 0) })]);
    const kind = node.label < content.classes.length ? "detail.diagnosis" : "detail.answer";
    const fixed = fixedAnswer(node);
    heading.append(.../** @type {Node[]} */ (fixed === null ? leafWords(index, node) : sayParts(kind, { class: className(content, fixed) })).filter(Boolean));
    if (!rule && node.label < content.classes.length) {
      const wrong = all - counts[node.label];
      facts.push([say("detail.wrong"), say("detail.wrong_share", { amount: wrong, share: percent(wrong, all) })]);
    }
    if (!rule && content.losses) facts.push([say("detail.loss"), amount(lossOf(content.losses, counts, node.label))]);
  } else {
    const { asked, by } = stageWords(index, group);
    heading.append(visible(say("detail.test", { test: asked })));
    if (by) facts.push([say("detail.by"), by]);
    facts.push([say("detail.price"), priceWords(index, group.buys ?? [])], [say("detail.remaining"), ofEach(index, ({ nodes }) => nodes[group.nodes[0]].remaining)]);
  }
  byId("detail").replaceChildren(
    heading,
    element("p", { class: "quiet" }, row.branch ? (row.branch.names.length ? say("detail.after", { outcomes: listed(row.branch.names) }) : "") : say("detail.first")),
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    pointsTable(index, group) ?? "",
    classBars(content, counts),
  );
}
