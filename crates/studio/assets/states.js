// @ts-check
// The state space: drawn up to a limit, with colours by a condition, and a histogram above the limit.

import { button, element, grouped, svg } from "./dom.js";
import { StateCanvas } from "./state-canvas.js";

/** @typedef {import("./app.js").Studio} Studio */
/**
 * A drawn state space, in columns.
 * @typedef {Object} DrawnSpace
 * @property {number[]} x @property {number[]} y @property {string[]} text @property {number[]} style
 * @property {number[]|null} mark @property {number[]} initial @property {[number, number, number, number][]} arcs
 * @property {string[]} labels
 */
/**
 * A state space.
 * @typedef {Object} SpaceView
 * @property {number} id @property {number} revision @property {number} count @property {boolean} complete
 * @property {number[]} depths @property {number[]|null} marked @property {[number, number, number, number]|null} marks
 * @property {DrawnSpace|null} drawn
 */

/** What each kind of arc means. */
const KINDS = ["step", "join", "covered", "replaced"];

/** The view "States". */
export class States {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.root = root;
    this.studio = studio;
    /** @type {SpaceView|null} */
    this.space = null;
    /** @type {number[]} */
    this.hits = [];
    this.isShown = false;
    this.isBusy = false;
    this.root.classList.add("states");
    this.condition = element("input", { type: "text", placeholder: "colour where P.a and x > 3", "aria-label": "Colour states where this holds", spellcheck: "false", size: "30" });
    this.join = element("input", { type: "checkbox", id: "states-join" });
    this.limit = element("input", { type: "number", min: "1", max: "5000", step: "1", value: "2000", "aria-label": "Draw at most this many states" });
    this.search = element("input", { type: "search", placeholder: "search text", "aria-label": "Search the text of states", spellcheck: "false" });
    this.message = element("output", { class: "message", "aria-live": "polite" });
    this.outdated = element("p", { class: "outdated", role: "status", hidden: true }, "The model has changed since. ", button("Explore again", () => void this.explore()));
    const form = element("form", { class: "tools", "aria-label": "States" },
      button("Explore", () => {}, { type: "submit", class: "primary" }), this.condition,
      element("label", { for: "states-join", title: "Joins states instead of covering them: fewer states, and paths that need not be runs" }, this.join, " join states"),
      element("label", {}, "draw at most ", this.limit),
      element("span", { class: "gap" }), this.search,
      button("Fit", () => this.canvas.fit(), { title: "Show everything (f)" }),
      button("+", () => this.canvas.zoom(1.4), { "aria-label": "Zoom in", title: "Zoom in (+)" }),
      button("−", () => this.canvas.zoom(1 / 1.4), { "aria-label": "Zoom out", title: "Zoom out (−)" }),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.explore();
    });
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.next(event.shiftKey ? -1 : 1);
    });
    this.canvas = new StateCanvas({
      select: (state) => void this.select(state),
      load: (state) => this.load(state),
      search: () => this.search.focus(),
      next: (step) => this.next(step),
    });
    this.details = element("aside", { class: "details", "aria-label": "The selected state" });
    this.legend = element("ul", { class: "legend", "aria-label": "Legend" });
    this.histogram = element("div", { class: "histogram", hidden: true });
    this.root.append(
      element("div", { class: "top" }, form, this.message, this.outdated),
      element("div", { class: "stage" }, this.canvas.root, this.histogram, this.legend),
      this.details,
    );
    this.describe(null);
    studio.addEventListener("session", () => this.forget());
    studio.addEventListener("document", () => this.compareRevision());
  }

  /** The view is shown. */
  shown() {
    this.isShown = true;
    if (!this.space && this.studio.document?.valid) void this.explore();
    this.canvas.resize();
  }

  /** The view is hidden. */
  hidden() {
    this.isShown = false;
  }

  forget() {
    this.space = null;
    this.canvas.show(null);
    this.histogram.hidden = true;
    this.canvas.root.hidden = false;
    this.describe(null);
    this.message.textContent = "";
    if (this.isShown && this.studio.document?.valid) void this.explore();
  }

  compareRevision() {
    this.outdated.hidden = !this.space || this.studio.document?.revision === this.space.revision;
    if (!this.space && this.isShown && this.studio.document?.valid) void this.explore();
  }

  /** Explores the states. */
  async explore() {
    const { api } = this.studio;
    if (!api || this.isBusy) return;
    this.isBusy = true;
    await this.studio.flush();
    this.say("Exploring…");
    const body = { condition: this.condition.value, join: this.join.checked, draw: Number(this.limit.value) || 2000 };
    try {
      const space = /** @type {SpaceView} */ (await api.post("states", body));
      if (api === this.studio.api) this.show(space);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.say(error.message, true);
    } finally {
      this.isBusy = false;
    }
  }

  /** @param {string} text @param {boolean} [bad] */
  say(text, bad = false) {
    this.message.textContent = text;
    this.message.className = bad ? "message bad" : "message";
  }

  /** @param {SpaceView} space */
  show(space) {
    this.space = space;
    const { count, complete, marks, depths, drawn } = space;
    const states = `${complete ? "" : "More than "}${grouped(count)} ${count === 1 ? "state" : "states"}, ${depths.length} ${depths.length === 1 ? "layer" : "layers"}`;
    const [nowhere, somewhere, everywhere, unknown] = marks ?? [0, 0, 0, 0];
    const held = marks ? `; the condition holds everywhere in ${everywhere}, somewhere in ${somewhere}, nowhere in ${nowhere}${unknown ? `, unknown in ${unknown}` : ""}` : "";
    this.say(`${states}${held}.${drawn ? "" : " These are too many to draw; the bars show them by depth."}`);
    this.outdated.hidden = true;
    this.canvas.root.hidden = !drawn;
    this.histogram.hidden = !!drawn;
    this.canvas.show(drawn);
    if (!drawn) this.bars(space);
    this.explain(space);
    this.find();
    if (drawn && drawn.x.length) this.canvas.choose(drawn.initial[0] ?? 0);
    else this.describe(null);
  }

  /** @param {SpaceView} space */
  explain({ drawn, marks }) {
    const entry = (/** @type {string} */ name, /** @type {string} */ text) => element("li", {}, element("span", { class: `key ${name}` }), text);
    const kinds = new Set((drawn?.arcs ?? []).map(([, , kind]) => KINDS[kind]));
    const all = [];
    if (drawn) all.push(entry("initial", "initial"));
    if (kinds.has("join")) all.push(entry("join", "joined state"));
    if (kinds.has("covered")) all.push(entry("covered", "leads into a state that covers it"));
    if (kinds.has("replaced")) all.push(entry("replaced", "replaced by"));
    if (marks && drawn) all.push(entry("everywhere", "condition holds everywhere"), entry("somewhere", "somewhere"));
    if (marks && !drawn) all.push(entry("held", "condition holds somewhere"));
    this.legend.replaceChildren(...all);
  }

  /** Draws the numbers of states by depth. @param {SpaceView} space */
  bars({ depths, marked }) {
    const [width, height, most] = [Math.max(600, depths.length * 14), 320, Math.max(...depths)];
    const step = width / depths.length;
    const chart = svg("svg", { viewBox: `0 0 ${width} ${height + 40}`, width, height: height + 40, role: "img", "aria-label": "Number of states by depth", class: "merkhet" });
    depths.forEach((count, depth) => {
      const bar = (/** @type {number} */ n, /** @type {string} */ name) => {
        const tall = n === 0 ? 0 : Math.max(1, (n / most) * height);
        return svg("rect", { x: depth * step + 1, y: height - tall, width: Math.max(1, step - 2), height: tall, class: name });
      };
      const group = svg("g", {}, svg("title", {}, `depth ${depth}: ${grouped(count)} states${marked ? `, ${grouped(marked[depth])} with the condition` : ""}`), bar(count, "bar"));
      if (marked) group.append(bar(marked[depth], "bar marked"));
      if (depth % Math.ceil(depths.length / 20) === 0) {
        group.append(svg("text", { x: depth * step + step / 2, y: height + 18, "text-anchor": "middle" }, String(depth)));
      }
      chart.append(group);
    });
    chart.append(svg("text", { x: width / 2, y: height + 36, "text-anchor": "middle" }, "depth"));
    const rows = depths.map((count, depth) => element("tr", {}, element("th", { scope: "row" }, String(depth)), element("td", {}, grouped(count)), marked && element("td", {}, grouped(marked[depth]))));
    const head = element("tr", {}, ...["depth", "states", marked ? "with the condition" : ""].filter(Boolean).map((title) => element("th", { scope: "col" }, title)));
    this.histogram.replaceChildren(element("div", { class: "scroll", tabindex: "0" }, chart),
      element("details", {}, element("summary", {}, "As a table"), element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
  }

  /** Finds the states whose text contains what is searched. */
  find() {
    const wanted = this.search.value.trim().toLowerCase();
    const texts = this.space?.drawn?.text ?? [];
    this.hits = wanted === "" ? [] : texts.flatMap((text, state) => (text.toLowerCase().includes(wanted) ? [state] : []));
    this.canvas.mark(this.hits);
    if (wanted) this.say(`${this.hits.length} states contain “${this.search.value.trim()}”; Enter goes from one to the next.`);
  }

  /** Goes to the next state that was found. @param {number} step */
  next(step) {
    if (this.hits.length === 0) return;
    const at = this.hits.findIndex((state) => state >= (this.canvas.selected ?? 0));
    const isHere = this.hits[at] === this.canvas.selected;
    const start = at < 0 ? (step > 0 ? 0 : this.hits.length - 1) : isHere ? at + step : step > 0 ? at : at - 1;
    this.canvas.choose(this.hits[(start + this.hits.length) % this.hits.length]);
  }

  /**
   * Shows everything about a state.
   * @param {number} state
   */
  async select(state) {
    const { api } = this.studio;
    const space = this.space;
    if (!api || !space) return;
    this.describe(state);
    const found = await api.get(`states/${space.id}/${state}`).catch(() => null);
    if (found && this.space === space && this.canvas.selected === state) this.describe(state, found);
  }

  /**
   * @param {number|null} state
   * @param {any} [found] as `SymbolicState`
   */
  describe(state, found) {
    const drawn = this.space?.drawn;
    if (state === null || !drawn) {
      const hint = this.space && !drawn
        ? "There are too many states to draw. With a condition, the bars show how many states of each depth it holds in."
        : "Select a state: click it, or walk with the arrow keys. Enter loads it into the simulator.";
      this.details.replaceChildren(element("p", { class: "soft" }, hint));
      return;
    }
    const style = ["", ", joined", ", replaced"][drawn.style[state]];
    const mark = drawn.mark ? ["condition holds nowhere", "condition holds somewhere", "condition holds everywhere", "condition unknown"][drawn.mark[state]] : "";
    /** @type {HTMLElement[]} */
    const parts = [
      element("h2", {}, `State ${state}${style}`),
      element("p", { class: "soft" }, [`depth ${drawn.y[state]}`, drawn.initial.includes(state) ? "initial" : "", mark].filter(Boolean).join(", ")),
      button("Load into simulator", () => this.load(state), { class: "primary" }),
    ];
    const rows = (/** @type {[string, string][]} */ all) => element("table", { class: "values" }, element("tbody", {}, ...all.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)))));
    if (found) {
      const { state: named, zone } = found;
      const values = named.marking
        ? named.marking.map((/** @type {any} */ p) => [p.place, String(p.tokens)])
        : [...named.locations.map((/** @type {any} */ l) => [l.process, l.location]), ...named.variables.map((/** @type {any} */ v) => [v.name, String(v.value)]), ...(named.elements ?? []).map((/** @type {any} */ v) => [v.name, v.value])];
      parts.push(rows(values));
      if (zone.length) parts.push(element("h3", {}, "Zone"), element("ul", { class: "constraints" }, ...zone.map((/** @type {string} */ each) => element("li", {}, each))));
    } else {
      parts.push(element("p", { class: "text" }, drawn.text[state]));
    }
    const arcs = (/** @type {string} */ title, /** @type {number} */ own, /** @type {number} */ other) => {
      const list = drawn.arcs.filter((arc) => arc[own] === state);
      if (list.length === 0) return;
      const items = list.slice(0, 60).map((arc) => {
        const kind = arc[2] === 0 ? "" : ` (${KINDS[arc[2]]})`;
        return element("li", {}, button(`${drawn.labels[arc[3]] || "–"} ${own === 0 ? "→" : "←"} ${arc[other]}${kind}`, () => this.canvas.choose(arc[other])));
      });
      parts.push(element("h3", {}, title), element("ul", { class: "arcs" }, ...items));
      if (list.length > 60) parts.push(element("p", { class: "soft" }, `and ${list.length - 60} more`));
    };
    arcs("Leads to", 0, 1);
    arcs("Comes from", 1, 0);
    this.details.replaceChildren(...parts);
  }

  /** @param {number} state */
  load(state) {
    if (this.space) this.studio.emit("state", { space: this.space.id, state });
  }
}
