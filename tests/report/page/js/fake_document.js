// As much of a document as the page's rows and tables need: elements with attributes, children and text.

class FakeElement {
  constructor(tag) {
    this.tag = tag;
    this.attributes = {};
    this.listeners = {};
    this.children = [];
    this.style = {};
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }

  append(...children) {
    this.children.push(...children);
  }

  get textContent() {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  // All elements of a class below this one, in their order.
  ofClass(name) {
    const below = this.children.filter((child) => child instanceof FakeElement);
    const own = (child) => ((child.attributes.class ?? "").split(" ").includes(name) ? [child] : []);
    return below.flatMap((child) => [...own(child), ...child.ofClass(name)]);
  }
}

globalThis.document = {
  createElement: (tag) => new FakeElement(tag),
  createElementNS: (_, tag) => new FakeElement(tag),
};
