// @ts-check
// The panel beside a drawing: what is selected, and what is wrong.

import { button, element } from "../dom.js";
import { LOCATION_LABELS, TITLES, isNode, keyOf, labelKinds, nameOf, nodeKeys, parts } from "./model.js";
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
    if (kind === "place" || kind === "transition") return this.netNode(drawing, owners[0]);
    if (kind === "edge" && drawing.net) return this.arc(drawing, number);
    if (kind === "edge") return this.edge(drawing, number);
    return [element("h2", {}, "Branchpoint"), this.actions()];
  }

  /** @param {Key[]} owners */
  several(owners) {
    const nodes = owners.filter(isNode);
    return [
      element("h2", {}, `${owners.length} elements`),
      element("div", { class: "align", role: "group", "aria-label": "Align", hidden: !this.hasPositions }, ...ALIGN.map(([how, symbol, title]) =>
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
    drawing.places.forEach((p, i) => add(`place:${i}`, p.name, p));
    drawing.transitions.forEach((t, i) => add(`transition:${i}`, t.name, t));
    drawing.edges.forEach((e, i) => add(`edge:${i}`, `${nameOf(drawing, e.source)} → ${nameOf(drawing, e.target)}`, e));
    const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? "" : "s"}`;
    const contents = drawing.net
      ? `${count(drawing.places.length, "place")}, ${count(drawing.transitions.length, "transition")}, ${count(drawing.edges.length, "arc")}`
      : `${count(drawing.locations.length, "location")}, ${count(drawing.edges.length, "edge")}`;
    const hint = drawing.net
      ? "Double-click to add a place. Press E over a place or a transition to draw an arc. The key ? lists all keys."
      : "Double-click to add a location. Press E over a location to draw an edge. The key ? lists all keys.";
    return [
      element("h2", {}, drawing.name || "Net"),
      element("p", { class: "soft" }, contents),
      found.length
        ? element("ul", { class: "found" }, ...found.map(([key, name, p]) =>
            element("li", { class: p.is_error ? "bad" : "odd" },
              key ? button(name, () => this.host.select([key])) : element("strong", {}, name), ` ${p.message}`)))
        : element("p", { class: "soft" }, hint),
      drawing.net && !drawing.net.positions
        ? element("p", { class: "soft" }, "This format has no positions: the drawing is laid out anew after each change.") : element("span"),
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

  /** A place or a transition of a net. @param {Drawing} drawing @param {Key} key */
  netNode(drawing, key) {
    const [kind, number] = parts(key);
    const { template } = this.host;
    const node = kind === "place" ? drawing.places[number] : drawing.transitions[number];
    const urgent = (/** @type {Event} */ event) => {
      const text = /** @type {HTMLInputElement} */ (event.target).checked ? "true" : "";
      void this.host.make([{ op: "label", template, of: { transition: number }, kind: "urgent", text }]);
    };
    return [
      element("h2", {}, kind === "place" ? "Place" : "Transition"),
      ...labelKinds(drawing, key).map((label) => this.field(key, label, node.labels)),
      kind === "transition" && drawing.net?.transition.includes("urgent")
        ? element("div", { class: "checks" }, element("label", { class: "check" },
            element("input", { type: "checkbox", checked: drawing.transitions[number].urgent, id: "set-urgent", onchange: urgent }), "Urgent"))
        : element("span"),
      ...remarks(node.problems),
      this.actions(),
    ];
  }

  /** An arc of a net. @param {Drawing} drawing @param {number} i */
  arc(drawing, i) {
    const { template } = this.host;
    const arc = drawing.edges[i];
    const key = `edge:${i}`;
    const kinds = drawing.net?.kinds ?? [];
    const list = element("select", { id: "set-kind", onchange: () => void this.host.make([{ op: "label", template, of: { edge: i }, kind: "kind", text: kinds[list.selectedIndex] }]) },
      ...kinds.map((kind) => element("option", { selected: kind === arc.kind }, kind)));
    const isPlain = "transition" in arc.source || !kinds.includes(arc.kind ?? "");
    return [
      element("h2", {}, arc.kind === "transport" ? "Transport arc" : "Arc"),
      element("div", { class: "ends" }, this.end(drawing, i, "source", "From"), this.end(drawing, i, "target", "To")),
      isPlain ? element("span") : element("div", { class: "set" }, element("label", { for: "set-kind" }, "Kind"), list),
      ...labelKinds(drawing, key).filter((label) => label !== "ages" || !("transition" in arc.source)).map((label) => this.field(key, label, arc.labels)),
      ...remarks(arc.problems),
      this.actions(),
    ];
  }

  /**
   * A list of nodes at which an edge can begin or end.
   * @param {Drawing} drawing @param {number} i @param {"source"|"target"} which @param {string} title
   */
  end(drawing, i, which, title) {
    const { template } = this.host;
    const edge = drawing.edges[i];
    const [own] = keyOf(edge[which]).split(":");
    // The ends of an arc stay of their kinds.
    const keys = nodeKeys(drawing).filter((key) => !drawing.net || key.startsWith(`${own}:`));
    const all = keys.map((key) => /** @type {import("./model.js").NodeName} */ (/** @type {any} */ ({ [parts(key)[0]]: parts(key)[1] })));
    const list = element("select", { id: `set-${which}`, onchange: () => void this.host.make([{ op: "connect", template, edge: i, [which]: all[list.selectedIndex] }]) },
      ...all.map((node) => element("option", { selected: keyOf(node) === keyOf(edge[which]) }, nameOf(drawing, node))));
    return element("label", {}, title, list);
  }

  /** @param {Drawing} drawing @param {number} i */
  edge(drawing, i) {
    const { template } = this.host;
    const make = (/** @type {any[]} */ operations) => this.host.make(operations);
    const edge = drawing.edges[i];
    const key = `edge:${i}`;
    return [
      element("h2", {}, "Edge"),
      element("div", { class: "ends" }, this.end(drawing, i, "source", "From"), this.end(drawing, i, "target", "To")),
      ...labelKinds(drawing, key).map((kind) => this.field(key, kind, edge.labels)),
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

  /** Whether elements can be placed. */
  get hasPositions() {
    return this.host.drawing?.net ? this.host.drawing.net.positions : this.hasLayout;
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
