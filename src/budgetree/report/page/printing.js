// Paper: everything, or one part of the page alone.

/** Print the part of this name, and nothing else; the style knows the parts. @param {"record" | "wall"} part */
export function printOnly(part) {
  const { dataset } = document.body;
  dataset.print = part;
  window.addEventListener("afterprint", () => delete dataset.print, { once: true });
  window.print();
}
