// @ts-check
// The drawing of a template as the server describes it, and names for its elements.

import { BRANCHPOINT, RADIUS, minus, plus, rounded } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {{is_error: boolean, message: string, from: number, to: number}} DrawnProblem */
/** @typedef {{kind: string, text: string, at: Point, is_placed: boolean, problems: DrawnProblem[]}} DrawnLabel */
/** @typedef {{location: number}|{branchpoint: number}|{place: number}|{transition: number}} NodeName */
/**
 * @typedef {Object} DrawnLocation
 * @property {string} path @property {string} name @property {boolean} urgent @property {boolean} committed @property {string|null} color
 * @property {Point} at @property {DrawnLabel[]} labels @property {DrawnProblem[]} problems
 */
/** @typedef {{at: Point, color: string|null}} DrawnBranchpoint */
/** @typedef {{name: string, tokens: string, at: Point, labels: DrawnLabel[], problems: DrawnProblem[]}} DrawnPlace */
/** @typedef {{name: string, urgent: boolean, at: Point, labels: DrawnLabel[], problems: DrawnProblem[]}} DrawnTransition */
/**
 * What the format of a net can express.
 * @typedef {{positions: boolean, place: string[], transition: string[], arc: string[], kinds: string[]}} NetAbilities
 */
/**
 * @typedef {Object} DrawnEdge
 * @property {string} path @property {NodeName} source @property {NodeName} target @property {boolean} controllable @property {string} [kind] the kind of an arc of a net @property {string|null} color
 * @property {Point[]} nails @property {boolean} is_nailed @property {DrawnLabel[]} labels @property {DrawnProblem[]} problems
 */
/**
 * @typedef {Object} Drawing
 * @property {string} name @property {string} parameters @property {boolean} is_placed @property {number|null} initial
 * @property {DrawnLocation[]} locations @property {DrawnBranchpoint[]} branchpoints @property {DrawnEdge[]} edges
 * @property {DrawnPlace[]} places @property {DrawnTransition[]} transitions @property {NetAbilities|null} net
 * @property {DrawnProblem[]} problems
 */
/**
 * An element: `location:3`, `branchpoint:0`, `edge:5`, `nail:5:0`, `label:edge:5:guard`; in nets
 * `place:0`, `transition:1`, and `edge:2` for an arc.
 * @typedef {string} Key
 */

/** The labels of a location, in the order in which they are edited. */
export const LOCATION_LABELS = ["name", "invariant", "exponentialrate", "comments"];
/** The labels of an edge. */
export const EDGE_LABELS = ["select", "guard", "synchronisation", "assignment", "probability", "comments"];
/** Labels that are not drawn. */
const NOTES = new Set(["comments", "testcode", "testcodeEnter", "testcodeExit", "marking"]);

/** What labels are called on the page. @type {Record<string, string>} */
export const TITLES = {
  name: "Name", invariant: "Invariant", exponentialrate: "Exponential rate", comments: "Comments", select: "Select",
  guard: "Guard", synchronisation: "Synchronisation", assignment: "Update", probability: "Probability",
  marking: "Tokens", delay: "Available after", interval: "Firing interval", weight: "Weight", ages: "Ages of tokens",
};

/** The kinds of nodes. */
const NODES = /** @type {const} */ (["location", "branchpoint", "place", "transition"]);

/** A drawing without anything. @type {Drawing} */
export const NOTHING = {
  name: "", parameters: "", is_placed: true, initial: null, locations: [], branchpoints: [], places: [], transitions: [], net: null, edges: [], problems: [],
};

/** @param {Key} key */
export const isNode = (key) => NODES.some((kind) => key.startsWith(`${kind}:`));

/** Returns the nodes of a kind. @param {Drawing} drawing @param {string} kind @returns {any[]} */
const nodesOf = (drawing, kind) => /** @type {any} */ (drawing)[`${kind}s`];

/** Returns the names of all nodes. @param {Drawing} drawing @returns {Key[]} */
export const nodeKeys = (drawing) => NODES.flatMap((kind) => nodesOf(drawing, kind).map((_, i) => `${kind}:${i}`));

/** Returns the labels that an element can have, in the order in which they are edited. @param {Drawing} drawing @param {Key} owner */
export function labelKinds(drawing, owner) {
  const [kind, number] = parts(owner);
  const { net } = drawing;
  if (net) return kind === "edge" ? net.arc : ["name", ...(kind === "place" ? net.place : net.transition.filter((label) => label !== "urgent"))];
  if (kind === "location") return LOCATION_LABELS;
  return EDGE_LABELS.filter((label) => label !== "probability" || "branchpoint" in (drawing.edges[number]?.source ?? {}));
}

/** @param {DrawnLabel} label */
export const isDrawn = (label) => !NOTES.has(label.kind);

/** @param {Key} key @returns {[string, number, string]} the kind, the number and the rest */
export function parts(key) {
  const [kind, number, ...rest] = key.split(":");
  return [kind, Number(number), rest.join(":")];
}

/** @param {NodeName} node @returns {Key} */
export const keyOf = (node) => Object.entries(node)[0].join(":");

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
    if (isNode(key)) return nodesOf(this.drawing, kind)[number].at;
    if (kind === "nail") return this.drawing.edges[number].nails[Number(rest)];
    return /** @type {DrawnLabel} */ (this.label(key)).at;
  }

  /** @param {Key} key @returns {DrawnLabel|undefined} */
  label(key) {
    const [, owner, number, kind] = key.split(":");
    return nodesOf(this.drawing, owner)[Number(number)]?.labels?.find((/** @type {DrawnLabel} */ label) => label.kind === kind);
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
    const radius = (/** @type {NodeName} */ node) => ("branchpoint" in node ? BRANCHPOINT : RADIUS);
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
    for (const kind of NODES) nodesOf(this.drawing, kind).forEach((node, i) => all.has(`${kind}:${i}`) && node.labels && labels(`${kind}:${i}`, node.labels));
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
      // In nets, the rest follows the nodes.
      if (this.drawing.net && !isNode(key)) continue;
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
    if (drawing.net) {
      const kindOfArc = e.kind === "normal" ? "Arc" : `${(e.kind ?? "")[0].toUpperCase()}${(e.kind ?? "").slice(1)} arc`;
      return [`${kindOfArc} from ${nameOf(drawing, e.source)} to ${nameOf(drawing, e.target)}`, ...labels(e.labels), ...wrong(e)].join(", ");
    }
    return [`Edge from ${nameOf(drawing, e.source)} to ${nameOf(drawing, e.target)}`, ...labels(e.labels), ...wrong(e)].join(", ");
  }
  if (kind === "place") {
    const p = drawing.places[number];
    return [`Place ${p.name}`, ...labels(p.labels), ...wrong(p)].join(", ");
  }
  if (kind === "transition") {
    const t = drawing.transitions[number];
    return [`Transition ${t.name}`, t.urgent && "urgent", ...labels(t.labels), ...wrong(t)].filter(Boolean).join(", ");
  }
  if (kind === "branchpoint") return `Branchpoint ${number + 1}`;
  if (kind === "nail") return `Nail ${Number(rest) + 1} of the edge`;
  return "Label";
}

/** @param {Drawing} drawing @param {NodeName} node */
export function nameOf(drawing, node) {
  const [kind, number] = parts(keyOf(node));
  return kind === "branchpoint" ? `branchpoint ${number + 1}` : nodesOf(drawing, kind)[number].name;
}
