// A small summary, as report/summary.py would write it: a shared amount, prices by outcome, a test branched on twice,
// results that no known case showed.

/** @type {() => import("../../../../src/budgetree/report/page/types.d.ts").Content} */
export const content = () => ({
  title: "Small",
  version: "0",
  classes: ["well", "ill"],
  answers: ["well", "ill"],
  losses: null,
  tests: [
    { name: "colour", outcomes: ["red", "green", "blue"], encoding: null, prices: [2, 2, 2], shared: [0] },
    { name: "size", outcomes: ["s", "l"], encoding: null, prices: [1, 3], shared: [0] },
  ],
  shared: [{ name: "visit", amount: 0.1 }],
  points: [],
  trees: [
    {
      nodes: [
        { kind: "buy", counts: [3, 3], label: 0, spent: 0, remaining: 5.1, test: 0, child: 1, charge: [2.1, 2.1, 2.1, 2.1], shown: [2, 2, 2, 0], due: [0], late: [] },
        { kind: "by_result", counts: [3, 3], label: 0, spent: 2.1, remaining: 3, test: 0, children: [2, 2, 3, 4], usual: { child: 2, results: [0, 1], decides: true, words: "red or green" } },
        { kind: "buy", counts: [2, 2], label: 0, spent: 2.1, remaining: 3, test: 1, child: 5, charge: [1, 3, 3], shown: [3, 1, 0], due: [], late: [{ shared: 0, unless: [0] }] },
        { kind: "leaf", counts: [1, 1], label: 0, spent: 2.1, remaining: 0 },
        { kind: "leaf", counts: [0, 0], label: 0, spent: 2.1, remaining: 0, voters: 1 },
        { kind: "by_result", counts: [2, 2], label: 0, spent: 5.1, remaining: 0, test: 1, children: [6, 7, 8], usual: { child: 6, results: [0], decides: true, words: "s" } },
        { kind: "by_result", counts: [1, 2], label: 1, spent: 3.1, remaining: 0, test: 0, children: [9, 10, 11, 11], usual: { child: 10, results: [1], decides: true, words: "green" } },
        { kind: "leaf", counts: [1, 0], label: 0, spent: 5.1, remaining: 0 },
        { kind: "leaf", counts: [0, 0], label: 0, spent: 5.1, remaining: 0, voters: 5 },
        { kind: "leaf", counts: [1, 0], label: 0, spent: 3.1, remaining: 0 },
        { kind: "leaf", counts: [0, 2], label: 1, spent: 3.1, remaining: 0 },
        { kind: "leaf", counts: [0, 0], label: 1, spent: 3.1, remaining: 0, voters: 6 },
      ],
      totals: [],
      target: 1,
      outline: [
        { nodes: [0], buys: [0], end: 1, branches: [{ outcomes: [0, 1], names: ["red", "green"], below: 1 }, { outcomes: [2], names: ["blue"], below: 2 }] },
        { nodes: [2], buys: [2], end: 5, branches: [{ outcomes: [0], names: ["s"], below: 3 }, { outcomes: [1], names: ["l"], below: 4 }] },
        { nodes: [3] },
        { nodes: [6], buys: [], end: 6, branches: [{ outcomes: [0], names: ["red"], below: 5 }, { outcomes: [1], names: ["green"], below: 6 }] },
        { nodes: [7] },
        { nodes: [9] },
        { nodes: [10] },
      ],
      max_cost: 5.1,
      known_max_cost: 5.1,
      mean_cost: 3.1,
      errors: 1,
      loss: 1,
      referred: 0,
      confusion: [[0, 0, 3], [0, 1, 1], [1, 1, 2]],
      n_objects: 6,
      n_leaves: 4,
      depth: 2,
      digest: "d1",
      origin: { method: "exact", function: "", settings: [], changes: [] },
      expected: null,
      statement: { proven: true, facts: [{ kind: "least", budget: 5.1 }] },
      certificate: null,
    },
  ],
  chosen: 0,
});

/**
 * The same with models: age is bought, and a sure one answers; else size is, and the other model answers.
 * @type {() => import("../../../../src/budgetree/report/page/types.d.ts").Content}
 */
export function modelled() {
  const made = content();
  const [tree] = made.trees;
  const first = { tests: [0], points: [[[3000000, 0], [0, 0], [0, 500000], [0, 0]]], intercept: [0, 0] };
  const second = { tests: [0, 1], points: [...first.points, [[0, 0], [0, 2000000], [0, 0]]], intercept: [100000, 0] };
  tree.totals = [first, second];
  const facts = (spent, remaining) => ({ counts: [3, 3], label: 0, spent, remaining });
  tree.nodes = [
    { kind: "buy", ...facts(0, 5.1), test: 0, child: 1, charge: [2.1, 2.1, 2.1, 2.1], shown: [2, 2, 2, 0], due: [0], late: [] },
    { kind: "by_total", ...facts(2.1, 3), totals: 0, children: [2, 3], confidence: 0.9 },
    { kind: "leaf", ...facts(2.1, 0), totals: 0, given: [2, 0] },
    { kind: "buy", ...facts(2.1, 3), test: 1, child: 4, charge: [1, 3, 3], shown: [3, 1, 0], due: [], late: [{ shared: 0, unless: [0] }] },
    { kind: "leaf", ...facts(5.1, 0), totals: 1, given: [3, 1] },
  ];
  tree.outline = [
    { nodes: [0], buys: [0], end: 1, branches: [{ sides: [0], names: ["90% sure"], below: 1 }, { sides: [1], names: ["less sure"], below: 2 }] },
    { nodes: [2] },
    { nodes: [3], buys: [3], end: 4, branches: [{ sides: [], names: [], below: 3 }] },
    { nodes: [4] },
  ];
  return made;
}
