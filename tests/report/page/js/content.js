// A small summary, as report/summary.py would write it: a fee, prices by outcome, a test met again, an unseen outcome.

/** @type {() => import("../../../../src/budgetree/report/page/types.d.ts").Content} */
export const content = () => ({
  title: "Small",
  version: "0",
  classes: ["well", "ill"],
  answers: ["well", "ill"],
  losses: null,
  tests: [
    { name: "colour", outcomes: ["red", "green", "blue"], encoding: null, prices: [2, 2, 2], fees: [0] },
    { name: "size", outcomes: ["s", "l"], encoding: null, prices: [1, 3], fees: [0] },
  ],
  fees: [{ name: "visit", amount: 0.1 }],
  points: [],
  trees: [
    {
      nodes: [
        { counts: [3, 3], label: 0, spent: 0, test: 0, price: [2.1, 2.1], branches: [1, 1, 2], usual: { child: 1, outcomes: "red or green" } },
        { counts: [2, 2], label: 0, spent: 2.1, test: 1, price: [1, 3], branches: [3, 4], usual: { child: 3, outcomes: "s" } },
        { counts: [1, 1], label: 0, spent: 2.1 },
        { counts: [1, 2], label: 1, spent: 3.1, test: 0, price: [0, 0], branches: [5, 6, null], usual: { child: 6, outcomes: "green" } },
        { counts: [1, 0], label: 0, spent: 5.1 },
        { counts: [1, 0], label: 0, spent: 3.1 },
        { counts: [0, 2], label: 1, spent: 3.1 },
      ],
      outline: [
        { nodes: [0], branches: [{ outcomes: [0, 1], names: ["red", "green"], below: 1 }, { outcomes: [2], names: ["blue"], below: 2 }] },
        { nodes: [1], branches: [{ outcomes: [0], names: ["s"], below: 3 }, { outcomes: [1], names: ["l"], below: 4 }] },
        { nodes: [2] },
        { nodes: [3], branches: [{ outcomes: [0], names: ["red"], below: 5 }, { outcomes: [1], names: ["green"], below: 6 }] },
        { nodes: [4] },
        { nodes: [5] },
        { nodes: [6] },
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
      depth: 3,
      digest: "d1",
      origin: "exact search",
      expected: null,
      statement: { proven: true, sentences: ["No tree within a budget of 5.1 makes fewer errors."] },
      certificate: null,
    },
  ],
  chosen: 0,
});
