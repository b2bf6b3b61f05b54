// @ts-check
// The panel beside a drawing: what is selected, and what is wrong.

import { button, element } from "../dom.js";
import { EDGE_LABELS, LOCATION_LABELS, TITLES, keyOf, nameOf, parts } from "./model.js";
import { labelOf } from "./inline.js";

/** @typedef {import("./model.js").Drawing} Drawing */
/** @typedef {import("./model.js").DrawnLabel} DrawnLabel */
/** @typedef {import("./model.js").DrawnProblem} DrawnProblem */
/** @typedef {import("./model.js").Key} Key */

/**
 * @typedef {Object} PanelHost
 * @property {Drawing|null} drawing
 * @property {Set<Key>} selection
 * @property {number} template
 * @property {(operations: any[]) => Promise<boolean>} make
 * @property {(keys: Iterable<Key>) => void} select
 * @property {(location: number, what: string, on: boolean) => any[]} flag
 * @property {(owner: Key, kind: string, text: string) => Promise<boolean>} setLabel
 * @property {() => void} remove
 * @property {(how: string) => void} align
 */

/** The ways to align, with their symbols. */
const ALIGN = [
  ["left", "⇤", "Align left"], ["middle", "↔", "Align centres in a column"], ["right", "⇥", "Align right"], ["top", "⤒", "Align top"],
  ["centre", "↕", "Align centres in a row"], ["bottom", "⤓", "Align bottom"], ["across", "⋯", "Spread evenly across"], ["down", "⋮", "Spread evenly down"],
];

export class Panel {
  /** @param {HTMLElement} root @param {PanelHost} host */
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.shownFor = "";
  }

  /** Shows what is selected now. */
  show() {
    const { drawing, selection } = this.host;
    // What is being typed is not taken away.
    const state = JSON.stringify([[...selection], drawing, this.host.template]);
    if (state === this.shownFor) return;
    const focused = this.root.contains(document.activeElement) ? document.activeElement?.id : "";
    this.shownFor = state;
    const owners = [...new Set([...selection].map((key) => labelOf(key)[0]))];
    this.root.replaceChildren(...(drawing ? this.contents(drawing, owners) : []));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** @param {Drawing} drawing @param {Key[]} owners @returns {HTMLElement[]} */
  contents(drawing, owners) {
    if (owners.length > 1) return this.several(owners);
    if (owners.length === 0) return this.overview(drawing);
    const [kind, number] = parts(owners[0]);
    if (kind === "location") return this.location(drawing, number);
    if (kind === "edge") return this.edge(drawing, number);
    return [element("h2", {}, "Branchpoint"), this.actions()];
  }

  /** @param {Key[]} owners */
  several(owners) {
    const nodes = owners.filter((key) => !key.startsWith("edge:"));
    return [
      element("h2", {}, `${owners.length} elements`),
      element("div", { class: "align", role: "group", "aria-label": "Align", hidden: !this.hasLayout }, ...ALIGN.map(([how, symbol, title]) =>
        button(symbol, () => this.host.align(how), { title, "aria-label": title, disabled: nodes.length < 2 }))),
      this.color(owners, ""),
      this.actions(),
    ];
  }

  /** @param {Drawing} drawing */
  overview(drawing) {
    /** @type {[Key, string, DrawnProblem][]} */
    const found = drawing.problems.map((p) => ["", drawing.name, p]);
    const add = (/** @type {Key} */ key, /** @type {string} */ name, /** @type {{problems: DrawnProblem[], labels: DrawnLabel[]}} */ of) => {
      of.problems.forEach((p) => found.push([key, name, p]));
      of.labels.forEach((l) => l.problems.forEach((p) => found.push([`label:${key}:${l.kind}`, `${name}, ${(TITLES[l.kind] ?? l.kind).toLowerCase()}`, p])));
    };
    drawing.locations.forEach((l, i) => add(`location:${i}`, l.name, l));
    drawing.edges.forEach((e, i) => add(`edge:${i}`, `${nameOf(drawing, e.source)} → ${nameOf(drawing, e.target)}`, e));
    const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? "" : "s"}`;
    return [
      element("h2", {}, drawing.name),
      element("p", { class: "soft" }, `${count(drawing.locations.length, "location")}, ${count(drawing.edges.length, "edge")}`),
      found.length
        ? element("ul", { class: "found" }, ...found.map(([key, name, p]) =>
            element("li", { class: p.is_error ? "bad" : "odd" },
              key ? button(name, () => this.host.select([key])) : element("strong", {}, name), ` ${p.message}`)))
        : element("p", { class: "soft" }, "Double-click to add a location. Press E over a location to draw an edge. The key ? lists all keys."),
    ];
  }

  /** @param {Drawing} drawing @param {number} i */
  location(drawing, i) {
    const { template } = this.host;
    const make = (/** @type {any[]} */ operations) => this.host.make(operations);
    const flag = (/** @type {number} */ of, /** @type {string} */ what, /** @type {boolean} */ on) => this.host.flag(of, what, on);
    const { urgent, committed, color, labels, problems } = drawing.locations[i];
    const key = `location:${i}`;
    const check = (/** @type {string} */ label, /** @type {boolean} */ is, /** @type {(on: boolean) => any[]} */ operations, fixed = false) =>
      element("label", { class: "check" },
        element("input", { type: "checkbox", checked: is, disabled: fixed, id: `set-${label}`,
          onchange: (/** @type {Event} */ event) => void make(operations(/** @type {HTMLInputElement} */ (event.target).checked)) }), label);
    const isInitial = drawing.initial === i;
    return [
      element("h2", {}, "Location"),
      ...LOCATION_LABELS.map((kind) => this.field(key, kind, labels)),
      element("div", { class: "checks" },
        check("Initial", isInitial, () => [{ op: "initial", template, location: i }], isInitial),
        check("Urgent", urgent, (on) => flag(i, "urgent", on)),
        check("Committed", committed, (on) => flag(i, "committed", on))),
      this.color([key], color ?? ""),
      ...remarks(problems),
      this.actions(),
    ];
  }

  /** @param {Drawing} drawing @param {number} i */
  edge(drawing, i) {
    const { template } = this.host;
    const make = (/** @type {any[]} */ operations) => this.host.make(operations);
    const edge = drawing.edges[i];
    const key = `edge:${i}`;
    const nodes = [...drawing.locations.keys()].map((n) => ({ location: n }));
    const branchpoints = [...drawing.branchpoints.keys()].map((n) => ({ branchpoint: n }));
    const end = (/** @type {"source"|"target"} */ which, /** @type {string} */ title) => {
      const all = [...nodes, ...branchpoints];
      const list = element("select", { id: `set-${which}`, onchange: () => void make([{ op: "connect", template, edge: i, [which]: all[list.selectedIndex] }]) },
        ...all.map((node) => element("option", { selected: keyOf(node) === keyOf(edge[which]) }, nameOf(drawing, node))));
      return element("label", {}, title, list);
    };
    const kinds = EDGE_LABELS.filter((kind) => kind !== "probability" || "branchpoint" in edge.source);
    return [
      element("h2", {}, "Edge"),
      element("div", { class: "ends" }, end("source", "From"), end("target", "To")),
      ...kinds.map((kind) => this.field(key, kind, edge.labels)),
      edge.is_nailed
        ? element("p", {}, button("Straighten", () => void make([{ op: "nails", template, edge: i, nails: [] }]), { title: "Delete all nails" }))
        : element("p", { class: "soft" }, this.hasLayout ? "Drag the line to bend it." : ""),
      this.color([key], edge.color ?? ""),
      ...remarks(edge.problems),
      this.actions(),
    ];
  }

  /** @param {Key} key @param {string} kind @param {DrawnLabel[]} labels */
  field(key, kind, labels) {
    const label = labels.find((l) => l.kind === kind);
    const id = `set-${kind}`;
    const wrong = label?.problems.some((p) => p.is_error);
    const lines = (label?.text ?? "").split("\n").length;
    const field = element("textarea", { id, rows: Math.min(8, lines), spellcheck: "false", class: `kind-${kind}`, "aria-invalid": wrong ? "true" : null });
    field.value = label?.text ?? "";
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        field.dispatchEvent(new Event("change"));
      }
    });
    field.addEventListener("change", () => {
      if (field.value.trim() !== (label?.text ?? "")) void this.host.setLabel(key, kind, field.value.trim());
    });
    return element("div", { class: "set" }, element("label", { for: id }, TITLES[kind] ?? kind), field, ...remarks(label?.problems ?? []));
  }

  /** Whether the model has positions and colours. */
  get hasLayout() {
    const { drawing } = this.host;
    return [...(drawing?.locations ?? []), ...(drawing?.edges ?? [])].some((of) => of.path !== "");
  }

  /** @param {Key[]} keys @param {string} color */
  color(keys, color) {
    if (!this.hasLayout) return element("span");
    const { template } = this.host;
    const make = (/** @type {any[]} */ operations) => this.host.make(operations);
    const items = keys.map((key) => ({ [parts(key)[0]]: parts(key)[1] }));
    const set = (/** @type {string} */ to) => void make([{ op: "color", template, items, color: to }]);
    const field = element("input", { type: "color", id: "set-color", value: /^#[0-9a-f]{6}$/i.test(color) ? color : "#c0d8f0", onchange: () => set(field.value) });
    return element("p", { class: "color" }, element("label", { for: "set-color" }, "Colour "), field, color ? button("None", () => set("")) : "");
  }

  actions() {
    return element("p", {}, button("Delete", () => this.host.remove(), { title: "Delete" }));
  }
}

/** @param {DrawnProblem[]} problems */
function remarks(problems) {
  return problems.map((p) => element("p", { class: p.is_error ? "remark bad" : "remark odd" }, p.message));
}
