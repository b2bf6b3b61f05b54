// @ts-check
// The drawing of a template as the server describes it, and names for its elements.

import { BRANCHPOINT, RADIUS, minus, plus, rounded } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {{is_error: boolean, message: string, from: number, to: number}} DrawnProblem */
/** @typedef {{kind: string, text: string, at: Point, is_placed: boolean, problems: DrawnProblem[]}} DrawnLabel */
/** @typedef {{location: number}|{branchpoint: number}} NodeName */
/**
 * @typedef {Object} DrawnLocation
 * @property {string} path @property {string} name @property {boolean} urgent @property {boolean} committed @property {string|null} color
 * @property {Point} at @property {DrawnLabel[]} labels @property {DrawnProblem[]} problems
 */
/** @typedef {{at: Point, color: string|null}} DrawnBranchpoint */
/**
 * @typedef {Object} DrawnEdge
 * @property {string} path @property {NodeName} source @property {NodeName} target @property {boolean} controllable @property {string|null} color
 * @property {Point[]} nails @property {boolean} is_nailed @property {DrawnLabel[]} labels @property {DrawnProblem[]} problems
 */
/**
 * @typedef {Object} Drawing
 * @property {string} name @property {string} parameters @property {boolean} is_placed @property {number|null} initial
 * @property {DrawnLocation[]} locations @property {DrawnBranchpoint[]} branchpoints @property {DrawnEdge[]} edges
 * @property {DrawnProblem[]} problems
 */
/**
 * An element: `location:3`, `branchpoint:0`, `edge:5`, `nail:5:0`, `label:edge:5:guard`.
 * @typedef {string} Key
 */

/** The labels of a location, in the order in which they are edited. */
export const LOCATION_LABELS = ["name", "invariant", "exponentialrate", "comments"];
/** The labels of an edge. */
export const EDGE_LABELS = ["select", "guard", "synchronisation", "assignment", "probability", "comments"];
/** Labels that are not drawn. */
const NOTES = new Set(["comments", "testcode", "testcodeEnter", "testcodeExit"]);

/** What labels are called on the page. @type {Record<string, string>} */
export const TITLES = {
  name: "Name", invariant: "Invariant", exponentialrate: "Exponential rate", comments: "Comments", select: "Select",
  guard: "Guard", synchronisation: "Synchronisation", assignment: "Update", probability: "Probability",
};

/** @param {DrawnLabel} label */
export const isDrawn = (label) => !NOTES.has(label.kind);

/** @param {Key} key @returns {[string, number, string]} the kind, the number and the rest */
export function parts(key) {
  const [kind, number, ...rest] = key.split(":");
  return [kind, Number(number), rest.join(":")];
}

/** @param {NodeName} node @returns {Key} */
export const keyOf = (node) => ("location" in node ? `location:${node.location}` : `branchpoint:${node.branchpoint}`);

/** @param {Key} key @returns {any} the name of an element in operations */
export function itemOf(key) {
  const [kind, number] = parts(key);
  return { [kind]: number };
}

/** @param {Key} key the owner of a label, or the element itself */
export function ownerOf(key) {
  const [kind, number, rest] = parts(key);
  if (kind === "nail") return `edge:${number}`;
  if (kind !== "label") return key;
  return key.split(":").slice(1, 3).join(":");
}

/** The positions of a drawing, some of which are being moved. */
export class Positions {
  /** @param {Drawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    /** @type {Map<Key, Point>} Those that differ from the drawing's. */
    this.moved = new Map();
    /** @type {Set<Key>} Those of them that were chosen, and not only carried along. */
    this.chosen = new Set();
    /** Whether the server is being asked to keep them. */
    this.isTaken = false;
  }

  /** @param {Key} key @returns {Point} */
  of(key) {
    return this.moved.get(key) ?? this.original(key);
  }

  /** @param {Key} key @returns {Point} */
  original(key) {
    const [kind, number, rest] = parts(key);
    if (kind === "location") return this.drawing.locations[number].at;
    if (kind === "branchpoint") return this.drawing.branchpoints[number].at;
    if (kind === "nail") return this.drawing.edges[number].nails[Number(rest)];
    return /** @type {DrawnLabel} */ (this.label(key)).at;
  }

  /** @param {Key} key @returns {DrawnLabel|undefined} */
  label(key) {
    const [, owner, number, kind] = key.split(":");
    const list = owner === "location" ? this.drawing.locations : this.drawing.edges;
    return list[Number(number)]?.labels.find((label) => label.kind === kind);
  }

  /** @param {number} edge @returns {Point[]} from centre to centre */
  path(edge) {
    const { source, target, nails } = this.drawing.edges[edge];
    const bends = nails.map((_, i) => this.of(`nail:${edge}:${i}`));
    return [this.of(keyOf(source)), ...bends, this.of(keyOf(target))];
  }

  /** @param {number} edge @returns {[number, number]} the radii at the ends */
  radii(edge) {
    const { source, target } = this.drawing.edges[edge];
    const radius = (/** @type {NodeName} */ node) => ("location" in node ? RADIUS : BRANCHPOINT);
    return [radius(source), radius(target)];
  }

  /**
   * Returns everything that moves with some elements: the labels of locations and edges, and the
   * nails and labels of edges whose ends both move.
   * @param {Iterable<Key>} keys
   */
  carried(keys) {
    const all = new Set(keys);
    const labels = (/** @type {Key} */ owner, /** @type {DrawnLabel[]} */ list) => {
      for (const label of list) if (isDrawn(label)) all.add(`label:${owner}:${label.kind}`);
    };
    this.drawing.locations.forEach((location, i) => all.has(`location:${i}`) && labels(`location:${i}`, location.labels));
    this.drawing.edges.forEach((edge, i) => {
      if (!all.has(`edge:${i}`) && !(all.has(keyOf(edge.source)) && all.has(keyOf(edge.target)))) return;
      edge.nails.forEach((_, nail) => all.add(`nail:${i}:${nail}`));
      labels(`edge:${i}`, edge.labels);
      all.delete(`edge:${i}`);
    });
    return all;
  }

  /**
   * Moves elements, and what moves with them, from where the drawing has them.
   * @param {Iterable<Key>} keys @param {Point} by
   */
  shift(keys, by) {
    this.moved.clear();
    this.isTaken = false;
    this.chosen = new Set(keys);
    for (const key of this.carried(keys)) this.moved.set(key, rounded(plus(this.original(key), by)));
    // Labels that have no place of their own follow their edges.
    this.drawing.edges.forEach((edge, i) => {
      const moves = [edge.source, edge.target].some((end) => this.moved.has(keyOf(end)));
      if (!moves) return;
      for (const label of edge.labels) {
        const key = `label:edge:${i}:${label.kind}`;
        if (!isDrawn(label) || this.moved.has(key)) continue;
        this.moved.set(key, rounded(plus(label.at, minus(middle(this.path(i)), middle(this.originalPath(i))))));
      }
    });
  }

  /** @param {number} edge @returns {Point[]} */
  originalPath(edge) {
    const { source, target, nails } = this.drawing.edges[edge];
    return [this.original(keyOf(source)), ...nails, this.original(keyOf(target))];
  }

  /**
   * Returns the operations that keep the moved positions, once.
   * @param {number} template
   */
  take(template) {
    const operations = this.isTaken ? [] : this.operations(template);
    this.isTaken = operations.length > 0;
    return operations;
  }

  /**
   * Returns the operations that keep the moved positions.
   * @param {number} template
   * @returns {any[]}
   */
  operations(template) {
    /** @type {any[]} */
    const places = [];
    /** @type {Set<number>} */
    const bent = new Set();
    for (const [key, at] of this.moved) {
      const [kind, number, rest] = parts(key);
      const same = this.original(key);
      if (same[0] === at[0] && same[1] === at[1]) continue;
      if (kind === "nail") {
        // Bends that the model lacks become its nails if they are moved by themselves.
        const isOwn = !this.drawing.is_placed || this.drawing.edges[number].is_nailed;
        if (!isOwn && this.chosen.has(key)) bent.add(number);
        else if (isOwn) places.push({ item: { nail: [number, Number(rest)] }, at });
      } else if (kind === "label") {
        const [, owner, of, label] = key.split(":");
        const isOwn = !this.drawing.is_placed || this.label(key)?.is_placed || this.chosen.has(key);
        if (isOwn) places.push({ item: { [`${owner}-label`]: [Number(of), label] }, at });
      } else {
        places.push({ item: { [kind]: number }, at });
      }
    }
    const nails = [...bent].map((edge) => ({ op: "nails", template, edge, nails: this.path(edge).slice(1, -1).map(rounded) }));
    return [...nails, ...(places.length ? [{ op: "move", template, places }] : [])];
  }
}

/** @param {Point[]} path @returns {Point} */
function middle(path) {
  const i = (path.length - 1) >> 1;
  const [a, b] = [path[i], path[i + 1] ?? path[i]];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

/**
 * Describes an element for those who can't see it.
 * @param {Drawing} drawing @param {Key} key
 */
export function describe(drawing, key) {
  const [kind, number, rest] = parts(key);
  const labels = (/** @type {DrawnLabel[]} */ list) =>
    list.filter((l) => l.kind !== "name").map((l) => `${TITLES[l.kind] ?? l.kind} ${l.text}`);
  const wrong = (/** @type {{problems: DrawnProblem[], labels: DrawnLabel[]}} */ of) =>
    [...of.problems, ...of.labels.flatMap((l) => l.problems)].map((p) => `${p.is_error ? "Error" : "Warning"}: ${p.message}`);
  if (kind === "location") {
    const l = drawing.locations[number];
    const marks = [drawing.initial === number && "initial", l.urgent && "urgent", l.committed && "committed"];
    return [`Location ${l.name}`, ...marks, ...labels(l.labels), ...wrong(l)].filter(Boolean).join(", ");
  }
  if (kind === "edge") {
    const e = drawing.edges[number];
    return [`Edge from ${nameOf(drawing, e.source)} to ${nameOf(drawing, e.target)}`, ...labels(e.labels), ...wrong(e)].join(", ");
  }
  if (kind === "branchpoint") return `Branchpoint ${number + 1}`;
  if (kind === "nail") return `Nail ${Number(rest) + 1} of the edge`;
  return "Label";
}

/** @param {Drawing} drawing @param {NodeName} node */
export function nameOf(drawing, node) {
  return "location" in node ? drawing.locations[node.location].name : `branchpoint ${node.branchpoint + 1}`;
}
