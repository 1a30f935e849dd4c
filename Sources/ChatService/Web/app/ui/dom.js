// SPDX-License-Identifier: Apache-2.0
// Elements are made here and nowhere else. Text becomes text nodes; there is no way to pass markup.

const SVG = "http://www.w3.org/2000/svg";
/** Attributes that a browser would run or fetch: `href` and `src` go through `safeURL`, handlers are refused. */
const LINKS = new Set(["href", "src", "poster"]);
const SCHEMES = new Set(["http:", "https:", "mailto:", "tel:", "xmpp:", "geo:", "blob:"]);

/** The address if it is one of ours or of a harmless scheme, else null. */
export function safeURL(value) {
  const text = String(value);
  if (text.startsWith("#") || /^\/(?!\/)/.test(text)) return text;
  try {
    return SCHEMES.has(new URL(text).protocol) ? text : null;
  } catch {
    return null;
  }
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "label") {
    element.setAttribute("aria-label", value);
    element[element.localName === "input" ? "placeholder" : "title"] = value;
  } else if (name === "class") element.setAttribute("class", value);
  else if (name === "data") Object.assign(element.dataset, value);
  else if (name === "plain") {
    // An address or a name of a machine: nothing corrects it.
    element.setAttribute("autocapitalize", "off");
    element.setAttribute("spellcheck", "false");
  } else if (typeof value === "function") element.addEventListener(name, value);
  else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") element[name] = value;
  else if (/^on/i.test(name)) throw new TypeError(`a handler is a function, named as its event: ${name}`);
  else if (LINKS.has(name)) {
    const safe = safeURL(value);
    if (safe !== null) element.setAttribute(name, safe);
  } else element.setAttribute(name, value === true ? "" : String(value));
}

function append(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) for (const one of child) append(parent, one);
  else parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
}

const isAttributes = (value) => !!value && Object.getPrototypeOf(value) === Object.prototype;

/**
 * An element with attributes, if there are any, and children: `h("p.note", { dir: "auto" }, "text", other)`. A function
 * is called for the event of its name, or alone in the place of attributes for clicks. A `label` is read out and shown as
 * a hint. Buttons submit nothing unless they say so, forms ask
 * their view instead of a server; lists are read out as such without marks.
 */
export function h(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  if (name === "button") element.type = "button";
  if (name === "form") element.addEventListener("submit", (event) => event.preventDefault());
  if (name === "ul" || name === "ol") element.setAttribute("role", "list");
  if (typeof children[0] === "function") set(element, "click", children.shift());
  if (isAttributes(children[0])) for (const [key, value] of Object.entries(children.shift())) set(element, key, value);
  append(element, children);
  return element;
}

/** The same in the SVG name space. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, String(value));
  append(element, children);
  return element;
}

/** Puts these children in the place of what is there. */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
  return parent;
}

/** Moves the focus among these by the keys that `steps` names; gives the one that has it then. */
export function rove(event, elements, steps) {
  const all = [...elements];
  const to = { Home: 0, End: all.length - 1 }[event.key] ?? all.indexOf(document.activeElement) + steps[event.key];
  if (Number.isNaN(to)) return null;
  event.preventDefault();
  const next = all[(to + all.length) % all.length];
  next.focus();
  return next;
}

/** Whether the user types into this element. */
export function isTextField(element) {
  return !!element?.matches?.("textarea, input:not([type=checkbox]):not([type=radio]):not([type=button]), [contenteditable=true]");
}
