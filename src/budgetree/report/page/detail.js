// The branch under the pointer or in focus: how many cases, what they have cost and may still cost, which classes.

import { byId, className, classBars, element, percent, total, visible } from "./dom.js";
import { lossOf } from "./losses.js";
import { countsIn, fixedAnswer, isLeaf, leafWords, priceWords, ruleOf, stageWords, testWords } from "./model.js";
import { amount, ofEach, say, sayParts } from "./words.js";

/** @import { Index, Row } from "./types.d.ts" */

/** A phone, or a narrow window. */
export const narrow = () => window.matchMedia("(max-width: 59.99rem)");

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
    element("p", { class: "quiet" }, row.branch ? (row.branch.names.length ? say("detail.after", { outcomes: row.branch.names.join(say("list.comma")) }) : "") : say("detail.first")),
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    classBars(content, counts),
  );
}
