// @ts-check
// Drawings of all processes, or of the net, with what is active and what can happen.

import { button, element, picture } from "./dom.js";
import { mark } from "./player.js";

/** @typedef {{template: number|null, svg: string}} DrawingView */
/** @typedef {{name: string, template: number, locations: string[]}} ProcessView */
/** @typedef {{what: string, edges: [number, number[]][], transition: number|null}} Choice */
/** @typedef {{locations: number[], tokens: number[]}} Active */

/** The most processes that are drawn. */
const MAX_DRAWINGS = 24;

/** Drawings are not made smaller than this. */
const LEAST = 0.72;

/**
 * Returns a function that finds the drawing of a template, or of the net.
 * @param {DrawingView[]} drawings
 * @returns {(template: number|null) => SVGSVGElement|null}
 */
export function finder(drawings) {
  /** @type {Map<number|null, SVGSVGElement>} */
  const known = new Map();
  return (template) => {
    const found = known.get(template);
    if (found) return found;
    const drawing = drawings.find((each) => each.template === template);
    if (!drawing) return null;
    const made = picture(drawing.svg);
    known.set(template, made);
    return made;
  };
}

/** The drawings of the processes of a simulator. */
export class Drawings {
  /**
   * @param {HTMLElement} root
   * @param {{processes: ProcessView[], drawings: DrawingView[]}} about
   */
  constructor(root, { processes, drawings }) {
    /** @type {{svg: SVGSVGElement, process: number|null}[]} */
    this.all = [];
    const find = finder(drawings);
    root.replaceChildren();
    /** @param {number|null} template @param {number|null} process @param {string} name */
    const add = (template, process, name) => {
      const found = find(template);
      if (!found) return;
      const svg = /** @type {SVGSVGElement} */ (found.cloneNode(true));
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `Drawing of ${name}`);
      const figure = element("figure", { class: "view" }, element("figcaption", {}, name), svg);
      const enlarge = button("⤢", () => this.enlarge(root, figure, enlarge), { "aria-label": `Enlarge the drawing of ${name}`, "aria-pressed": "false" });
      figure.querySelector("figcaption")?.append(enlarge);
      root.append(figure);
      keepReadable(svg, processes.length > 1 ? LEAST : 0.45);
      this.all.push({ svg, process });
    };
    if (processes.length === 0) add(null, null, "Net");
    processes.slice(0, MAX_DRAWINGS).forEach((process, i) => add(process.template, i, process.name));
    const more = processes.length - MAX_DRAWINGS;
    if (more > 0) root.append(element("p", { class: "soft" }, `${more} more processes are not drawn.`));
    root.classList.toggle("single", this.all.length === 1);
  }

  /**
   * Shows one drawing alone, or all again.
   * @param {HTMLElement} root @param {HTMLElement} figure @param {HTMLElement} toggle
   */
  enlarge(root, figure, toggle) {
    const is = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(is));
    for (const other of root.querySelectorAll("figure")) other.hidden = is && other !== figure;
    root.classList.toggle("single", is || this.all.length === 1);
  }

  /**
   * Shows a state: active locations or tokens, the edges of the last transition, and those that are enabled.
   * @param {Active} active
   * @param {Choice|null} last
   * @param {Choice[]} choices
   */
  show(active, last, choices) {
    const taken = { edges: last?.edges ?? [], transition: last?.transition ?? null };
    for (const drawing of this.all) mark(drawing, { ...active, ...taken });
    this.classify("enabled", choices);
    for (const { svg } of this.all) follow(svg);
  }

  /**
   * Shows a transition.
   * @param {Choice|null} choice
   */
  hint(choice) {
    this.classify("hinted", choice ? [choice] : []);
  }

  /**
   * Gives a class to the edges of some transitions, and to no others.
   * @param {string} name
   * @param {Choice[]} choices
   */
  classify(name, choices) {
    for (const { svg, process } of this.all) {
      for (const old of svg.querySelectorAll(`.${name}`)) old.classList.remove(name);
      for (const { edges, transition } of choices) {
        if (process === null) {
          svg.querySelector(`[data-transition="${transition}"]`)?.classList.add(name);
          continue;
        }
        for (const [mover, numbers] of edges) {
          if (mover !== process) continue;
          for (const edge of numbers) svg.querySelector(`[data-edge="${edge}"]`)?.classList.add(name);
        }
      }
    }
  }
}

/**
 * Keeps the text of a drawing readable; small tiles scroll to what is active.
 * @param {SVGSVGElement} svg
 * @param {number} [least]
 */
export function keepReadable(svg, least = LEAST) {
  const [width, height] = [Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  if (width > 0 && height > 0) [svg.style.minWidth, svg.style.minHeight] = [`${width * least}px`, `${height * least}px`];
}

/**
 * Scrolls a drawing, but not the page, to its active location.
 * @param {SVGSVGElement} svg
 */
export function follow(svg) {
  const [tile, active] = [svg.parentElement, svg.querySelector(".active circle")];
  if (!tile || !active) return;
  const [outer, inner] = [tile.getBoundingClientRect(), active.getBoundingClientRect()];
  const [x, y] = [inner.left + inner.width / 2 - outer.left, inner.top + inner.height / 2 - outer.top];
  // The name of the process is at the top.
  if (y < 60 || y > outer.height - 30) tile.scrollTop += y - outer.height / 2;
  if (x < 30 || x > outer.width - 30) tile.scrollLeft += x - outer.width / 2;
}

/**
 * Makes the names of the lanes stay where they are while a timeline scrolls.
 * @param {SVGSVGElement} timeline
 * @returns {HTMLElement}
 */
export function pinned(timeline) {
  const area = /** @type {SVGGraphicsElement|null} */ (timeline.querySelector("[data-step] .area"));
  const [width, height] = [Number(area?.getAttribute("x")) - 2, Number(timeline.getAttribute("height"))];
  const box = element("div", { class: "pinned" });
  if (area && width > 0 && height > 0) {
    const names = /** @type {SVGSVGElement} */ (timeline.cloneNode(true));
    names.querySelectorAll("[data-step]").forEach((group) => group.remove());
    const attributes = { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "merkhet names" };
    for (const [name, value] of Object.entries(attributes)) names.setAttribute(name, String(value));
    for (const name of ["role", "aria-label"]) names.removeAttribute(name);
    names.style.marginRight = `${-width}px`;
    box.append(names);
  }
  box.append(timeline);
  return box;
}
