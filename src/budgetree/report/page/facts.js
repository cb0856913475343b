// The header's key facts, the price list and the proof: what is read rather than used.

import { byId, capital, cases, element, errors, numberCell, percent, percentage, put, rounded, rowHead, short, significant, tableFrame, tableOf, total } from "./dom.js";
import { confusionParts, digits, errorWords, lossParts } from "./losses.js";
import { orderedName } from "./model.js";
import { amount, clean, inUnit, inUnits, listed, numeral, ofEach, say } from "./words.js";

/** @import { Content, Fact, Origin, Test, Tree } from "./types.d.ts" */

/** @param {Content} content */
export function showSubtitle(content) {
  const sizes = [
    cases(total(content.trees[0].nodes[0].counts)),
    say("count.tests", { count: content.tests.length }),
    say("count.classes", { count: content.classes.length }),
  ];
  byId("subtitle").textContent = say("page.learned", { sizes: listed(sizes) });
  byId("colophon").textContent = say("page.colophon", { version: content.version });
}

/** One sentence in plain words, what is proven if anything is, and a few figures. @param {Content} content @param {Tree} tree */
export function showFacts(content, tree) {
  const all = total(tree.nodes[0].counts);
  const differs = clean(tree.known_max_cost) !== clean(tree.max_cost);
  put("sentence", plainWords(content, tree));
  put("proof-sentence", proofWords(content, tree));
  put("tab-proof", say(content.trees.some((each) => proofWords(content, each)) ? "tabs.proof" : "tabs.quality"));
  put("budget-of", say("consult.budget_of", { cost: ofEach(tree, (of) => of.max_cost) }));
  const facts = [
    [say("facts.worst"), ofEach(tree, (of) => of.max_cost), differs ? say("facts.worst_note_known", { known: inUnit(tree.known_max_cost) }) : ""],
    [say("facts.mean"), ofEach(tree, (of) => significant(of.mean_cost)), say("facts.mean_note", { tests: say("count.tests", { count: tree.depth }) })],
    lossFact(content, tree, all),
    ...newCasesFact(tree),
    ...stabilityFact(content, tree),
  ];
  byId("facts").replaceChildren(
    ...facts.map(([name, value, note]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, element("b", { class: "value" }, value), note ? ` ${note}` : "")),
    ),
  );
}

/**
 * What it costs and how often it is right: of new cases where that is known; of two classes also how many it finds.
 * @param {Content} content
 * @param {Tree} tree
 */
export function plainWords(content, tree) {
  const all = total(tree.nodes[0].counts);
  const point = content.points.find(({ tree: own }) => content.trees[own] === tree);
  const budget = inUnit(point?.budget ?? tree.max_cost);
  const referred = all ? tree.referred / all : 0;
  const right = tree.expected ? 1 - tree.expected.error : all ? 1 - tree.errors / all : 0;
  const key = tree.expected ? "overview.new" : "overview.known";
  const parts = [say(referred ? `${key}_referred` : key, { budget, share: whole(right), referred: whole(referred) })];
  if (content.classes.length === 2 && tree.confusion && all) {
    const held = tree.expected?.recalls; // on rows that were held out
    const [missed, cleared] = [tree.target, 1 - tree.target].map((label) => {
      if (held) return whole(held[label] ?? 0);
      const own = tree.confusion?.filter(([, its]) => its === label) ?? [];
      return whole(total(own.filter(([answer]) => answer === label).map(([, , count]) => count)) / tree.nodes[0].counts[label]);
    });
    const values = { class: content.classes[tree.target], sensitivity: missed, specificity: cleared };
    parts.push(say(tree.expected && !held ? "overview.found_known" : "overview.found", values));
  }
  return `${[...parts, say("overview.mean", { mean: inUnit(significant(tree.expected?.mean_cost ?? tree.mean_cost)) })].join(say("list.semicolon"))}.`;
}

/** @type {(share: number) => string} */
export const whole = (share) => say("number.percent", { share: Math.round(100 * share) });

/**
 * What was proven, in a sentence; nothing where nothing was. A certificate may say more: it is its issuer's word.
 * @param {Content} content
 * @param {Tree} tree
 */
export function proofWords(content, tree) {
  if (tree.statement.proven) return `${say("facts.proven")}: ${factWords(content, tree.statement.facts[0])}`;
  const certificate = tree.certificate;
  if (!certificate || certificate.lower_bound <= 0) return "";
  const ratio = certificate.ratio ?? Infinity;
  const value = ratio === 1 ? say("facts.certified") : say("facts.within", { ratio: rounded(ratio) });
  return `${value}: ${say(content.losses === null ? "facts.as_few" : "facts.as_little", { cost: inUnit(certificate.lower_bound) })}.`;
}

const BY_LOSS = ["open", "neither", "least", "costlier", "might"]; // facts that are said otherwise of losses

/** Something that is known of other trees. @param {Content} content @param {Fact} fact */
export function factWords({ losses }, { kind, budget, max_error: share, cost, least, cases: count, tests, choice }) {
  const few = share ? say("fact.wrong", { share: short(100 * share) }) : say("fact.without_errors");
  const within = typeof budget === "number" ? say("fact.within", { budget: inUnit(budget) }) : say("fact.any");
  const values = { few, within, count: least ?? count ?? 0, cost: inUnit(cost ?? 0), tests: tests?.join(say("list.comma")) ?? "" };
  if (choice) return say("fact.leaves", choiceWords(choice));
  if (kind === "cheapest") return say(cost ? "fact.cheapest_than" : "fact.cheapest", values);
  if (kind === "might" && losses === null && !least) return say("fact.might_none", values);
  return say(BY_LOSS.includes(kind) ? `fact.${kind}_${losses === null ? "errors" : "loss"}` : `fact.${kind}`, values);
}

/** The kind of leaf that was asked for, beside the best. @param {NonNullable<Fact["choice"]>} choice */
function choiceWords({ kind, best, scores, excess, standard_error: error }) {
  const [own, other, more, se] = [scores[kind], scores[best], excess, error].map((score) => numeral(score.toFixed(3)));
  return { kind: say(`leaves.${kind}`), best: say(`leaves.${best}`), own, other, more, se };
}

/** What made a tree, with which settings, and what was done to it since. @param {Origin} origin */
export function originWords({ method, function: own, settings, changes }) {
  const done = changes.map(({ kind, budget }) => (budget === null ? say(`change.${kind}`) : say("change.cut_at", { budget: inUnit(budget) })));
  return listed([`${say(`method.${method}`)} ${own}`.trim(), ...settings, ...done]);
}

/** @param {Content} content @param {Tree} tree @param {number} all */
export function lossFact({ losses, classes }, tree, all) {
  if (losses !== null) {
    const [miss, alarm] = [tree.target, 1 - tree.target].map((label) => clean((losses.units[label]?.[1 - label] ?? 0) / losses.scale));
    const counts = classes.length === 2 && !losses.plain ? say("facts.loss_counts", { missed: classes[tree.target], miss, alarm }) : "";
    return [say("facts.loss"), amount(tree.loss), say("facts.loss_note", { cases: cases(all), errors: errorWords(tree) }) + counts];
  }
  const note = say("facts.errors_note", { cases: cases(all), share: percent(tree.errors, all) });
  return [say("facts.errors"), amount(tree.errors), note];
}

/** Nothing where no cases were held out. @param {Tree} tree */
export function newCasesFact(tree) {
  if (tree.expected === null) return [];
  const { error, se, overfitted, loss, loss_se: lossSe } = tree.expected;
  const share = say("number.percent", { share: percentage(error) });
  const mark = overfitted ? say("facts.overfitted") : "";
  if (loss === undefined || lossSe === undefined) {
    return [[say("facts.new"), share, say("facts.new_note", { se: percentage(se) }) + mark]];
  }
  const note = say("facts.new_loss_note", { se: digits(lossSe, 2), share });
  return [[say("facts.new"), digits(loss, 3), note + mark]];
}

/**
 * What came back when the tree was learned again from some of the rows; nothing where that is not known.
 * @param {Content} content
 * @param {Tree} tree
 */
export function stabilityFact(content, tree) {
  const firm = tree.expected?.stability;
  if (firm === undefined) return [];
  const [root] = tree.nodes;
  const values = { times: Math.round(firm.same_first * firm.n_refits), count: firm.n_refits, share: Math.round(100 * firm.learned_from) };
  const note = root.kind === "buy" ? say("facts.firm_note", { ...values, test: content.tests[root.test].name }) : say("facts.firm_none", values);
  return [[say("facts.firm"), say("number.percent", { share: percentage(firm.same_answers) }), note]];
}

/** @param {Content} content @param {Tree} tree */
export function showProof(content, tree) {
  const lossless = content.losses === null;
  const made = { budget: inUnit(tree.max_cost), origin: originWords(tree.origin) };
  const found = lossless
    ? say("proof.makes", { ...made, errors: errors(tree.errors) })
    : say("proof.loses", { ...made, loss: tree.loss, errors: errorWords(tree) });
  const lines = [found, ...tree.statement.facts.map((fact) => factWords(content, fact))];
  const paragraphs = lines.map((line) => element("p", {}, capital(line)));
  // A certificate is a document: its words are quoted.
  paragraphs.push(...(tree.certificate?.lines ?? []).map((line) => element("p", { lang: "en" }, capital(line))));
  const note = say(tree.certificate ? "proof.certificate" : lossless ? "proof.errors_known" : "proof.loss_known");
  byId("panel-proof").replaceChildren(
    element("h2", {}, say("proof.heading")),
    element("div", { class: "prose" }, ...paragraphs, element("p", { class: "quiet" }, note)),
    ...confusionParts(content, tree),
  );
}

/** @param {Content} content */
export function showPrices(content) {
  const shared = content.shared.length ? [say("prices.shared")] : []; // columns only where there is something to say
  const after = content.tests.some((test) => test.after?.length) ? [say("prices.after")] : [];
  const used = new Set(content.trees.flatMap(({ nodes }) => nodes.map((node) => (node.kind === "buy" ? node.test : -1)))); // and -1
  const rows = content.tests.map((test, at) => {
    const fees = test.shared.map((place) => say("prices.shared_amount", { name: content.shared[place].name, amount: sharedAmount(content, place) }));
    const conditions = (test.after ?? []).map((setters) => setters.map((setter) => setterName(content, setter)).join(say("list.or")));
    const others = [...shared.map(() => listed(fees)), ...after.map(() => conditions.join(say("list.and")))];
    const cells = others.map((cell) => element("td", {}, cell));
    return element("tr", { class: used.has(at) ? null : "unused" }, rowHead(orderedName(test)), priceCell(test), ...cells);
  });
  const [heading, headings] = [say("prices.heading"), [say("prices.test"), say("prices.price"), ...shared, ...after]];
  const parts = [element("h2", {}, heading), tableFrame(heading, tableOf({}, headings, [1], rows))];
  const count = content.tests.filter((_, at) => used.has(at)).length;
  if (count < content.tests.length) parts.push(element("p", { class: "on-paper" }, say("prices.on_paper", { count, all: content.tests.length })));
  const limits = (content.further ?? []).map(({ limit, unit }) => say("prices.limit", { limit: `${amount(limit)} ${unit}` }));
  parts.push(...limits.map((limit) => element("p", { class: "prose" }, limit)));
  byId("panel-prices").replaceChildren(...parts, ...lossParts(content));
}

/** A test that comes first, and what it must show. @param {Content} content @param {[test: number, outcomes: number[] | null]} setter */
const setterName = ({ tests }, [test, outcomes]) =>
  outcomes ? say("prices.shown", { name: tests[test].name, outcomes: outcomes.map((each) => tests[test].outcomes[each]).join(say("list.or")) }) : tests[test].name;

/** What a shared amount takes of each resource. @param {Content} content @param {number} place */
const sharedAmount = ({ shared, further }, place) => inUnits([shared[place].amount, ...(further ?? []).map((of) => of.shared[place])]);

/** One price, or one line per price with the outcomes that cost it. @param {Test} test */
function priceCell(test) {
  /** @type {Map<string, string[]>} */
  const byPrice = new Map();
  test.prices.forEach((price, outcome) => {
    const taken = inUnits([price, ...(test.further ?? []).map((amounts) => amounts[outcome])]);
    byPrice.set(taken, [...(byPrice.get(taken) || []), test.outcomes[outcome]]);
  });
  if (byPrice.size === 1) return numberCell(...byPrice.keys());
  const lines = [...byPrice].map(([price, names]) => element("div", {}, say("prices.if", { price, outcomes: listed(names) })));
  return numberCell(...lines);
}
