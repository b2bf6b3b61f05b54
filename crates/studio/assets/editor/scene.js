// @ts-check
// The drawing of a template as SVG. Everything is in one group, which a transform pans and zooms.

import { svg } from "../dom.js";
import { BRANCHPOINT, RADIUS, arrow, clipped, stop } from "./geometry.js";
import { Positions, describe, isDrawn, keyOf } from "./model.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./model.js").Drawing} Drawing */
/** @typedef {import("./model.js").DrawnLabel} DrawnLabel */
/** @typedef {import("./model.js").Key} Key */

/** The height of a line of a label, and of its first one above the base line. */
const LINE = 15;
const ASCENT = 11;

/** Where up to five tokens lie in a place. @type {[number, number][][]} */
const DOTS = [[], [[0, 0]], [[-4, 0], [4, 0]], [[0, -4], [-4, 3.5], [4, 3.5]], [[-4, -4], [4, -4], [-4, 4], [4, 4]], [[-4.5, -4.5], [4.5, -4.5], [0, 0], [-4.5, 4.5], [4.5, 4.5]]];

export class Scene {
  /** @param {SVGElement} world the group of the drawing */
  constructor(world) {
    this.world = world;
    /** @type {Map<Key, SVGElement>} */
    this.elements = new Map();
    /** @type {Drawing|null} */
    this.drawing = null;
    /** @type {Positions|null} */
    this.positions = null;
    /** @type {Set<Key>} */
    this.selected = new Set();
    /** @type {Map<Key, number[]>} The edges of each node. */
    this.edgesOf = new Map();
  }

  /** @param {Drawing} drawing */
  draw(drawing) {
    this.drawing = drawing;
    this.positions = new Positions(drawing);
    this.elements.clear();
    this.edgesOf.clear();
    const [edges, nodes, labels, nails] = [svg("g"), svg("g"), svg("g"), svg("g", { class: "nails" })];
    drawing.edges.forEach((edge, i) => {
      for (const end of [edge.source, edge.target]) {
        const key = keyOf(end);
        this.edgesOf.set(key, [...(this.edgesOf.get(key) ?? []), i]);
      }
      edges.append(this.edge(i));
      edge.labels.filter(isDrawn).forEach((label) => labels.append(this.label(`edge:${i}`, label)));
    });
    drawing.branchpoints.forEach((branchpoint, i) => {
      const shape = svg("circle", { r: BRANCHPOINT, class: "branchpoint" });
      if (branchpoint.color) shape.style.fill = branchpoint.color;
      nodes.append(this.element(`branchpoint:${i}`, "node", svg("circle", { r: 9, class: "grab" }), shape));
    });
    drawing.locations.forEach((location, i) => {
      nodes.append(this.location(i));
      location.labels.filter(isDrawn).forEach((label) => labels.append(this.label(`location:${i}`, label)));
    });
    drawing.places.forEach((place, i) => {
      nodes.append(this.place_(i));
      place.labels.filter(isDrawn).forEach((label) => labels.append(this.label(`place:${i}`, label)));
    });
    drawing.transitions.forEach((transition, i) => {
      nodes.append(this.transition(i));
      transition.labels.filter(isDrawn).forEach((label) => labels.append(this.label(`transition:${i}`, label)));
    });
    this.nails = nails;
    this.world.replaceChildren(edges, nodes, labels, nails);
    this.selected = new Set([...this.selected].filter((key) => this.elements.has(key) || key.startsWith("nail:")));
    for (const key of this.elements.keys()) this.place(key);
    this.mark();
  }

  /** @param {Key} key @param {string} kind @param {...SVGElement} shapes */
  element(key, kind, ...shapes) {
    const made = svg("g", { "data-key": key, class: kind }, ...shapes);
    if (kind !== "label") {
      made.setAttribute("role", "button");
      made.setAttribute("tabindex", "-1");
      made.setAttribute("aria-label", describe(/** @type {Drawing} */ (this.drawing), key));
    }
    this.elements.set(key, made);
    return made;
  }

  /** @param {number} i */
  location(i) {
    const drawing = /** @type {Drawing} */ (this.drawing);
    const { urgent, committed, color, problems, labels } = drawing.locations[i];
    const disc = svg("circle", { r: RADIUS, class: "disc" });
    const shapes = [disc];
    if (drawing.initial === i) shapes.push(svg("circle", { r: RADIUS - 3, class: "ring" }));
    const mark = committed ? "C" : urgent ? "U" : "";
    if (mark) shapes.push(svg("text", { y: 4, class: "mark" }, mark));
    const made = this.element(`location:${i}`, "node location", ...shapes);
    if (color && /^#[0-9a-f]{6}$/i.test(color)) {
      disc.style.fill = color;
      made.classList.add(isDark(color) ? "on-dark" : "on-light");
    }
    flag(made, [...problems, ...labels.flatMap((label) => label.problems)]);
    return made;
  }

  /** @param {number} i */
  place_(i) {
    const { tokens, problems, labels } = /** @type {Drawing} */ (this.drawing).places[i];
    const count = Number(tokens || 0);
    const marks = count <= 5
      ? (DOTS[count] ?? []).map(([x, y]) => svg("circle", { cx: x, cy: y, r: 2.6, class: "token" }))
      : [svg("text", { y: 4, class: "mark" }, count < 1000 ? tokens : "…")];
    const made = this.element(`place:${i}`, "node place", svg("circle", { r: RADIUS, class: "disc" }), ...marks);
    flag(made, [...problems, ...labels.flatMap((label) => label.problems)]);
    return made;
  }

  /** @param {number} i */
  transition(i) {
    const { urgent, problems, labels } = /** @type {Drawing} */ (this.drawing).transitions[i];
    const side = 2 * RADIUS - 3;
    const box = svg("rect", { x: -side / 2, y: -side / 2, width: side, height: side, rx: 3, class: "disc" });
    const mark = urgent ? [svg("text", { y: 4, class: "mark" }, "U")] : [];
    const made = this.element(`transition:${i}`, "node transition", box, ...mark);
    flag(made, [...problems, ...labels.flatMap((label) => label.problems)]);
    return made;
  }

  /** @param {number} i */
  edge(i) {
    const { controllable, kind, color, problems, labels } = /** @type {Drawing} */ (this.drawing).edges[i];
    const [line, head] = [svg("path", { class: "line" }), svg("path", { class: "head" })];
    const made = this.element(`edge:${i}`, `edge ${kind ?? (controllable ? "" : "environment")}`, svg("path", { class: "grab" }), line, head);
    if (color && /^#[0-9a-f]{6}$/i.test(color)) [line.style.stroke, head.style.fill] = [color, color];
    flag(made, [...problems, ...labels.flatMap((label) => label.problems)]);
    return made;
  }

  /** @param {Key} owner @param {DrawnLabel} label */
  label(owner, label) {
    let start = 0;
    const lines = label.text.split("\n").map((line, i) => {
      const made = svg("tspan", { x: 0, y: ASCENT + i * LINE }, ...pieces(line || " ", start, label.problems));
      start += line.length + 1;
      return made;
    });
    const text = svg("text", {}, ...lines);
    const made = this.element(`label:${owner}:${label.kind}`, "label", text);
    made.classList.add(`kind-${label.kind}`);
    flag(made, label.problems);
    return made;
  }

  /** Puts an element where it is now. @param {Key} key */
  place(key) {
    const made = this.elements.get(key);
    const positions = /** @type {Positions} */ (this.positions);
    if (!made) return;
    if (key.startsWith("edge:")) {
      const i = Number(key.slice(5));
      const inhibits = positions.drawing.edges[i].kind?.endsWith("inhibitor");
      const { line, head } = (inhibits ? stop : arrow)(clipped(positions.path(i), ...positions.radii(i)));
      const [grab, path, tip] = made.children;
      grab.setAttribute("d", line);
      path.setAttribute("d", line);
      tip.setAttribute("d", head);
    } else {
      const [x, y] = positions.of(key);
      made.setAttribute("transform", `translate(${x} ${y})`);
    }
  }

  /** Puts everything that is being moved, and the edges at it, where it is now. */
  moved() {
    /** @type {Set<Key>} */
    const touched = new Set();
    for (const key of /** @type {Positions} */ (this.positions).moved.keys()) {
      touched.add(key.startsWith("nail:") ? `edge:${key.split(":")[1]}` : key);
      for (const edge of this.edgesOf.get(key) ?? []) touched.add(`edge:${edge}`);
    }
    touched.forEach((key) => this.place(key));
    this.drawNails();
  }

  /** @param {Iterable<Key>} keys */
  select(keys) {
    this.selected = new Set(keys);
    this.mark();
  }

  /** Shows what is selected. */
  mark() {
    for (const [key, made] of this.elements) {
      const is = this.selected.has(key);
      made.classList.toggle("selected", is);
      if (made.hasAttribute("role")) made.setAttribute("aria-pressed", String(is));
    }
    this.drawNails();
  }

  /** Draws the nails of the edges that are selected. */
  drawNails() {
    const positions = /** @type {Positions} */ (this.positions);
    const edges = new Set([...this.selected].filter((key) => /^(edge|nail):/.test(key)).map((key) => Number(key.split(":")[1])));
    const made = [...edges].flatMap((edge) =>
      (positions.drawing.edges[edge]?.nails ?? []).map((_, i) => {
        const key = `nail:${edge}:${i}`;
        const [x, y] = positions.of(key);
        const is = this.selected.has(key);
        return svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8, "data-key": key, class: is ? "nail selected" : "nail" });
      }));
    this.nails?.replaceChildren(...made);
  }

  /** The box of the whole drawing. @returns {Box|null} */
  bounds() {
    const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (this.world).getBBox();
    return width + height > 0 ? { left: x, top: y, right: x + width, bottom: y + height } : null;
  }
}

/**
 * Splits a line of a label into what is wrong and what is not.
 * @param {string} line @param {number} start where it begins in the text
 * @param {import("./model.js").DrawnProblem[]} problems
 * @returns {(Node|string)[]}
 */
function pieces(line, start, problems) {
  const isWrong = (/** @type {number} */ at) => problems.some((p) => p.from <= start + at && start + at < Math.max(p.to, p.from + 1));
  /** @type {(Node|string)[]} */
  const out = [];
  for (let at = 0; at < line.length; ) {
    const wrong = isWrong(at);
    let end = at + 1;
    while (end < line.length && isWrong(end) === wrong) end++;
    out.push(wrong ? svg("tspan", { class: "problem" }, line.slice(at, end)) : line.slice(at, end));
    at = end;
  }
  return out;
}

/** @param {string} color */
function isDark(color) {
  const part = (/** @type {number} */ i) => parseInt(color.slice(i, i + 2), 16);
  return part(1) * 3 + part(3) * 6 + part(5) < 1100;
}

/**
 * Marks an element as wrong or suspicious.
 * @param {SVGElement} made @param {import("./model.js").DrawnProblem[]} problems
 */
function flag(made, problems) {
  if (!problems.length) return;
  made.classList.add(problems.some((p) => p.is_error) ? "wrong" : "suspicious");
  made.append(svg("title", {}, problems.map((p) => p.message).join("\n")));
}
