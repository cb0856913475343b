// What the page's scripts hand to each other. The first half is what report/summary.py writes.

/** A text with gaps ({name}), or its forms by number as Intl.PluralRules calls them. */
export type Text = string | { other: string; [form: string]: string };

/** Per language, as languages/ has them, the texts by key. */
export type Languages = Record<string, Record<string, Text>>;
export type Texts = { fixed: string | null; codes: string[]; texts: Record<string, Text[]> };

export interface Content {
  title: string;
  version: string;
  unit?: string; // of prices, in the user's words; with {} it says where the number goes
  decimals?: number | null; // of money that is not whole
  classes: string[];
  answers: string[]; // the classes, and then whatever else may be answered
  answer_help?: string[]; // a line of explanation per answer; "" where there is none
  losses: Losses | null; // null where errors count
  tests: Test[];
  shared: Shared[];
  further?: Resource[]; // with limits of their own
  points: Point[]; // empty for a single tree
  trees: Tree[];
  chosen: number; // the tree that is shown first
  steps?: Steps; // of a frontier
  for_new?: boolean; // of a frontier: whether its trees were found for new cases
  evaluation?: Evaluation | null; // null where none was made
  advice?: Advice | null; // of a frontier; null where no cases were held out
  validation?: Validation | null; // of a frontier: how the errors on new cases came about
}

/** A figure with its interval: "%" are shares, "cost" has the unit of prices. */
export interface Measured {
  value: number;
  low: number | null;
  high: number | null;
  unit: "%" | "cost" | "";
  digits: number;
}

/** What `Evaluation.to_dict` has; other figures by name. */
export interface Evaluation {
  kind: "procedure" | "pathway";
  n: number;
  n_folds: number | null;
  n_repeats: number | null;
  positive: number | null;
  by_class: { class: string; curve: { predicted: number; observed: Measured | null; n: number }[]; [figure: string]: any }[];
  decision_curve: { points: { threshold: number; net_benefit: Measured | null; treat_all: number }[] } | null;
  cost: { mean: Measured };
  subgroups: { by: string; group: string; n: number; is_small: boolean; [figure: string]: any }[];
  methods: string; // a paragraph for a paper
  facts: { kind: string; classes?: string[]; [value: string]: any }[]; // what a reader must know of the figures
  [figure: string]: any;
}

/** What new cases say about budgets: numbers of points. */
export interface Advice {
  recommended: number | null; // null where no budget is significantly better than no test
  enough: number; // no evidence that more helps
}

/** Rows that were held out. */
export interface Validation {
  n_folds: number; // asked for
  n_done: number;
  n_rows: number;
  is_hold_out: boolean; // one fifth stood for all folds
  n_copies: number; // rows held out together with another, because they repeat it
}

/** What each answer costs. */
export interface Losses {
  units: number[][]; // class by answer, whole numbers
  scale: number; // loss = units / scale
  plain: boolean; // each error costs the same, so that the likeliest class is the answer
}

/** A resource besides the price. */
export interface Resource {
  unit: string;
  limit: number;
  shared: number[]; // what each of Content.shared takes of it
}

export interface Test {
  name: string;
  panel?: string | null; // that it is ordered in
  after?: [test: number, outcomes: number[] | null][][]; // of each list one must come before, and show one of these; null: any
  help?: string; // a line of explanation; "" where there is none
  outcomes: string[]; // by names.js: Python has an Outcome of each
  encoding: Encoding | null; // null where the tree was learned from codes
  prices: number[]; // per outcome
  further?: number[][]; // of each further resource, likewise
  shared: number[]; // places in Content.shared
}

/** The user's own name, numbers, or null for a missing value. */
export type Outcome = string | Interval | null;

/** The numbers of neighbouring levels. */
export interface Interval {
  low: string | null; // as it is written; null: no end
  high: string | null;
  is_above: boolean; // the low end is not in it
  is_within: boolean; // the high end is in it
  level: number | null; // its number, where numbers cannot tell
}

export type Encoding = Levels | Values;

export interface Levels {
  kind: "levels";
  thresholds: (number | null)[]; // null: no number reaches it
  low: number;
  high: number;
  plausible?: [number, number] | null; // a number beyond is likelier a typing error
  missing: number | null; // the outcome of a missing value
}

export interface Values {
  kind: "values";
  values: string[];
  missing: number | null;
}

// Paid once per case, with the first test that needs it.
export interface Shared {
  name: string;
  amount: number;
  panel?: boolean; // the price of a panel
}

export interface Point {
  max_cost: number;
  errors: number;
  loss: number; // the errors, where no losses are given
  referred: number; // cases whose answer is no class
  error_rate: number;
  new_error: number | null; // share of new cases to expect wrong; null where nothing was held out
  new_error_se: number | null;
  new_loss: number | null; // what a new case loses on average, where losses are given
  new_loss_se: number | null;
  overfitted: boolean;
  lower_bound: number;
  proven: boolean;
  budget: number; // as it was named, or max_cost
  known_least: number | null; // of trees for new cases: the least loss on known ones within the budget
  known_proven: boolean | null;
  tree: number;
}

export type Corner = [budget: number, loss: number];

export interface Steps {
  loss: Corner[];
  bound: Corner[]; // no tree is below
}

export interface Tree {
  digest: string; // of its model file
  nodes: TreeNode[]; // parents before their children
  totals: Totals[]; // what points and models add up
  target: number; // the class that is looked for
  outline: Group[]; // what people see: group 0 is the root, parents before what is below them
  further?: Further[]; // of each further resource
  max_cost: number;
  known_max_cost: number;
  mean_cost: number;
  errors: number;
  loss: number; // the errors, where no losses are given
  referred: number; // cases whose answer is no class
  confusion: [answer: number, label: number, cases: number][] | null; // null where a model file does not say it
  n_objects: number;
  n_leaves: number;
  depth: number;
  origin: Origin;
  expected: Expected | null; // null where no cases were held out
  statement: Statement;
  certificate: Certificate | null;
}

/** What is taken of a further resource. */
export interface Further {
  max_cost: number;
  mean_cost: number;
  further?: Further[]; // none
  nodes: { spent: number; remaining: number; charge?: number[] }[];
}

/** Whole points that add up to one total, or to a score per class, in millionths; a single score is the second's of two. */
export interface Totals {
  tests: number[];
  points: number[][][]; // per test, result by total; the last result is one that is not listed
  intercept: number[];
  trees?: SmallTrees;
}

/** Small trees that add to totals; a node's left child is the next one. */
export interface SmallTrees {
  starts: number[]; // the first node of each tree
  nodes: (SmallNode | number)[]; // an end is a place in values
  values: number[][];
}

/** At most the cut goes left, or only the cut; what is not listed, or `missing` (-1: none), goes left by default or not. */
export type SmallNode = [test: number, cut: number, byEqual: number, defaultLeft: number, missing: number, right: number];

/** What to expect of new cases. */
export interface Expected {
  error: number; // the share that is wrong
  se: number; // its standard error
  loss?: number; // what a new case loses on average, where losses are given
  loss_se?: number;
  mean_cost?: number; // of the rows that were held out
  recalls?: (number | null)[]; // by class, the share found of these rows
  overfitted: boolean;
  stability?: Stability; // of a tree for new cases, where there was time
}

/** What came back when the tree was learned again from some of the rows; shares. */
export interface Stability {
  n_refits: number;
  learned_from: number;
  first_test: string | null;
  same_first: number;
  tests: Record<string, number>;
  same_answers: number;
}

/** What was proven about other trees. */
export interface Statement {
  proven: boolean;
  facts: Fact[];
}

export interface Fact {
  kind: string;
  budget?: number | null; // null: at any budget
  least?: number;
  max_error?: number;
  cost?: number | null;
  cases?: number;
  tests?: string[];
  choice?: { kind: string; best: string; scores: Record<string, number>; excess: number; standard_error: number };
}

/** What made a tree. */
export interface Origin {
  method: string;
  function: string; // as Python has it; "" where there is none
  settings: string[]; // likewise: "budget=5"
  changes: { kind: string; budget: number | null }[];
}

export type TreeNode = Buy | ByResult | ByTotal | Leaf;

export interface Facts {
  counts: number[]; // per class
  label: number; // a place in Content.answers
  spent: number; // on arrival, at worst
  remaining: number; // the most that a case can still cost
  voters?: number; // the node above whose cases answer, where no known case comes
}

/** A test is paid. */
export interface Buy extends Facts {
  kind: "buy";
  test: number;
  child: number;
  charge: number[]; // per outcome, and last where it is not listed
  shown: number[]; // the same in known cases
  due: number[]; // places in Content.shared: what the charge has in it
  late: Late[];
}

/** What falls due only where none of some tests above could be done. */
export interface Late {
  shared: number; // a place in Content.shared
  unless: number[]; // tests
}

/** What a bought test shows sends cases different ways. */
export interface ByResult extends Facts {
  kind: "by_result";
  test: number;
  children: number[]; // per outcome, and last where it is not listed
  usual: Usual;
}

/** Totals send cases different ways: by cuts, or side 0 where a class has this probability. */
export interface ByTotal extends Facts {
  kind: "by_total";
  totals: number; // a place in Tree.totals
  children: number[]; // per side
  cuts?: number[]; // ascending: below the first is side 0
  at?: number[]; // where the total is the score of the second of two classes, in millionths: how likely it is at each cut
  confidence?: number;
}

export interface Leaf extends Facts {
  kind: "leaf";
  probabilities?: number[]; // by class, where they are fixed
  totals?: number; // a place in Tree.totals: points where there are cuts, else scores
  cuts?: number[];
  chances?: number[][]; // per side and class
  given?: number[]; // by answer, the known cases that got it, where totals decide
  answer?: number; // where everyone gets the same
}

// Where a case goes on whose result is not available.
export interface Usual {
  child: number;
  results: number[]; // the outcomes that lead there
  decides: boolean; // whether anything depends on it
  words?: string; // the results, where something does: by names.js
}

// Nodes whose subtrees look the same, shown as one; and those that are one stage with the first of them.
export interface Group {
  nodes: number[];
  buys?: number[]; // the purchases
  end?: number; // the branch or leaf that follows them
  branches?: Branch[]; // absent for leaves
  points?: StagePoints[]; // of a stage that adds them up: what it adds to the total
  endings?: Ending[]; // of the same: where each total leads
  continues?: boolean; // of the same: whether its points are added to the total of the stage before
  chances?: [total: number, chance: number][]; // of the same: of the class that is looked for
}

export interface StagePoints {
  test: number;
  results: [outcomes: number[], points: number][];
  names: string[][]; // of the results: by names.js
  else: number; // for any other result
}

export interface Ending {
  totals: [low: number, high: number][]; // none where they are not known
  names: string[]; // by names.js
  below: number; // the group
  answer: number | null; // null where cases go on
  cases: number[]; // per class
}

// Results that lead to the same subtree, or sides of a total.
export interface Branch {
  outcomes?: number[];
  sides?: number[];
  names: string[]; // neighbouring levels are one: by names.js
  below: number; // the group
}

export interface Certificate {
  lines: string[];
  ratio: number | null;
  lower_bound: number;
}

// From here on: what the scripts compute.

export interface Index {
  content: Content;
  tree: Tree;
  nodes: TreeNode[];
  groups: Group[];
  above: number[]; // of a group; -1 for the root
  depth: number[]; // of a group; 0 for the root
  further: Index[]; // with the amounts of each further resource
}

export interface Answer {
  test?: number; // absent: of the next test
  outcome: number | null; // null for one that the tree does not know
  said: string;
  measured?: number; // where a number was typed
  unavailable?: boolean; // there is no result, and the test is not paid …
  charged?: boolean; // … unless it is
  time?: string; // when it was given
}

export interface Step {
  at: number; // the purchase
  answer: Answer;
  price: number;
  full?: number; // the price before it was known which branch the case takes without a result
  assumed: string | null; // without a result, the outcomes whose branch says which tests come next
}

export interface State {
  at: number; // a purchase that is to be done, or a leaf
  waiting: number[]; // that and the other purchases of its stage that have no answer yet
  steps: Step[];
  spent: number;
  left: number; // still to pay at worst
  further: State[]; // with what was spent of each further resource
  refused: boolean; // the order forbids the next test, which needs a result that is missing
  missing: Set<number>; // the tests without a result that were not paid
  unseen: Step | null; // the step whose result no known case had there
  open: boolean; // a test is to be done
  sure: boolean; // nothing more is bought, because the answer is sure
  label: number; // the answer: a place in Content.answers
  shares: number[] | null; // the probability of each class, where it is not the share of the known cases
  possible: number[] | null; // by class, the known cases still possible where a result is not available
}

/** What moved the answer, in the order of the steps. */
export interface Explanation {
  by: "cases" | "points" | "model";
  start: number; // the probability of the class before any answer
  parts: Part[];
  together: Move | null; // what the answers say together, after the parts; null where each counts alone
}

export interface Move {
  before: number;
  after: number;
}

export interface Part extends Move {
  step: Step;
}

export interface Session {
  asked?: number; // the purchase of a stage that is answered first
  index: Index;
  answers: Answer[];
}

export interface Paid {
  cost: number;
  max_cost: number;
  further?: Paid[]; // of each further resource
}

/** A finished consultation, as it is saved. */
export interface SavedRecord extends Paid {
  format: string;
  version: number;
  title: string;
  model: string; // the digest of its file
  finished: string; // a time, as all times are: ISO 8601, UTC
  answer: string;
  probabilities: { class: string; probability: number }[];
  steps: SavedStep[];
}

export interface SavedStep {
  test: string;
  outcome: number | null; // null for one that is on no list, or not available
  result: string; // in words
  measured?: number;
  available: boolean;
  charged?: boolean; // paid, though there is no result
  time: string;
  price: number;
}

/** A saved consultation that was read, or why it was not. */
export type Opened = { tree: number; answers: Answer[]; refused?: undefined } | { refused: string };

export interface Address {
  language: string | null;
  budget: { text: string; number: number | null } | null; // null: not a number
}

/** A branch in the drawing. */
export interface Box {
  group: number;
  branch: Branch | null; // null for the root
  above: number; // the group; -1 for the root
  x: number;
  y: number;
  unfolded: boolean;
}

export interface Plan {
  boxes: Map<number, Box>; // by group, parents first
  width: number;
  height: number;
}

export interface Worst {
  groups: Set<number>; // from the root to the leaf
  cost: number;
  ties: number;
}

export interface Row {
  group: number;
  branch: Branch | null; // null for the root
  list: HTMLUListElement | null; // of what is below; null for leaves
  line: HTMLDivElement; // the tree item
  parent: Row | null;
  depth: number;
  below: Row[] | null; // null as long as nobody needed them
}

export interface View {
  index: Index;
  worst: Worst;
  rows: Map<number, Row>; // by group
  root: Row;
  current: Row;
  folded: () => void; // called when a row is folded or unfolded
}

export type Child = Node | string | null | undefined;
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: any) => void)>;
