// The branch under the pointer or in focus: how many cases, what they have cost and may still cost, which classes.

const NARROW = window.matchMedia("(max-width: 59.99rem)");
const panel = byId("detail");

// Beside the tree where there is room; on a phone below the row in focus, where the thumb is.
function placeDetail(line) {
  if (NARROW.matches) line.after(panel);
  else document.querySelector(".tree-columns").append(panel);
}

function showDetail(index, branch) {
  const { content } = index;
  const first = branch.children[0];
  const node = index.nodes[first];
  const counts = sumCounts(index, branch.children);
  const all = total(counts);
  const facts = [
    ["Known cases", `${amount(all)} (${percent(all, total(index.nodes[0].counts))} of all)`],
    ["Spent on arrival", amount(node.spent)],
  ];
  const heading = element("h3", {});
  if (isLeaf(node)) {
    heading.append("Diagnosis: ", className(content, node.label));
    facts.push(["Wrong here", `${amount(all - counts[node.label])} (${percent(all - counts[node.label], all)})`]);
  } else {
    heading.append(`Test: ${content.tests[node.test].name}`);
    facts.push(["This test", priceWords(index, first)], ["Still to pay at worst", amount(index.remaining[first])]);
  }
  panel.replaceChildren(
    heading,
    element("p", { class: "quiet" }, branch.names ? `after ${branch.names.join(", ")}` : "the first test"),
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    classBars(content, counts),
  );
}
