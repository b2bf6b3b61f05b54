// @ts-check
// Small helpers to build elements. Text becomes text nodes, never markup.

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} [attributes] names with `on` in front are listeners
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

/**
 * Creates a button.
 * @param {string} label
 * @param {(event: Event) => void} click
 * @param {Record<string, any>} [attributes]
 */
export function button(label, click, attributes = {}) {
  return element("button", { type: "button", onclick: click, ...attributes }, label);
}

/**
 * Creates an element of SVG.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/** The elements that pictures of the server have. */
const DRAWN = new Set(["svg", "g", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon", "text", "tspan", "title", "desc", "defs", "marker", "clipPath", "use"]);

/**
 * Reads a picture that the server has drawn. Scripts, links and listeners have no place in one.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  for (const each of [...parsed.querySelectorAll("*")]) {
    if (!DRAWN.has(each.localName)) each.remove();
    for (const { name, value } of [...each.attributes]) {
      const leads = name.endsWith("href") && !value.startsWith("#");
      if (name.startsWith("on") || name === "style" || leads) each.removeAttribute(name);
    }
  }
  return /** @type {any} */ (document.importNode(parsed.documentElement, true));
}

/**
 * Calls `run` when nothing has called for a while.
 * @param {number} milliseconds
 * @param {() => void} run
 */
export function later(milliseconds, run) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
}

/**
 * Returns the element with an id.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Formats a number with thin spaces between thousands.
 * @param {number} n
 */
export function grouped(n) {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** @param {number} n */
export function bytes(n) {
  if (n < 1024) return `${n} B`;
  if (n < 1024 ** 2) return `${(n / 1024).toFixed(0)} kB`;
  if (n < 1024 ** 3) return `${(n / 1024 ** 2).toFixed(0)} MB`;
  return `${(n / 1024 ** 3).toFixed(1)} GB`;
}
