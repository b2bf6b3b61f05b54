// @ts-check
// The editor of drawings. What is changed becomes operations, which the server makes on the text;
// what is shown is what the server reads from it afterwards.

import { Refusal } from "./api.js";
import { button, element, later, svg } from "./dom.js";
import { Canvas, GRID } from "./editor/canvas.js";
import { Inline, labelOf } from "./editor/inline.js";
import { helpPopover, runKey } from "./editor/keys.js";
import { NOTHING, isNode, itemOf, keyOf, labelKinds, nodeKeys, ownerOf, parts } from "./editor/model.js";
import { Panel } from "./editor/panel.js";
import { Scene } from "./editor/scene.js";
import { Templates } from "./editor/templates.js";

/** @typedef {import("./app.js").Studio} Studio */
/** @typedef {import("./editor/geometry.js").Point} Point */
/** @typedef {import("./editor/model.js").Drawing} Drawing */
/** @typedef {import("./editor/model.js").Key} Key */

/** What can be added, and selecting. */
const TOOLS = [["select", "Select", "V"], ["location", "Location", "L"], ["place", "Place", "P"], ["transition", "Transition", "T"], ["edge", "Edge", "E"], ["branchpoint", "Branchpoint", "B"]];
/** The tools of automata, and those of nets. */
const [AUTOMATA, NETS] = [["location", "branchpoint"], ["place", "transition"]];

/** The view "Editor". */
export class Editor {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.root = root;
    this.studio = studio;
    /** @type {Drawing[]} */
    this.drawings = [];
    this.template = 0;
    this.revision = -1;
    /** @type {Set<Key>} */
    this.selection = new Set();
    this.tool = "select";
    this.snaps = false;
    this.isShown = false;
    /** @type {Point} How far keys have moved what is selected, not yet kept. */
    this.nudged = [0, 0];
    this.keepSoon = later(400, () => void this.drop());
    /** @type {Promise<any>} */
    this.queue = Promise.resolve();
    this.fits = false;
    /** @type {((drawing: Drawing) => void)|null} What happens once the last change is drawn. */
    this.after = null;
    root.classList.add("editor");
    const side = element("div", { class: "side" });
    const world = svg("g", { class: "world" });
    this.scene = new Scene(world);
    const surface = /** @type {SVGSVGElement} */ (svg("svg", { class: "canvas merkhet", tabindex: "0", role: "group", "aria-label": "Drawing", "aria-roledescription": "drawing of a template" },
      svg("defs", {}, svg("pattern", { id: "editor-grid", width: GRID, height: GRID, patternUnits: "userSpaceOnUse" },
        svg("circle", { cx: 0.7, cy: 0.7, r: 0.7 }))),
      svg("rect", { class: "grid", width: "100%", height: "100%", fill: "url(#editor-grid)" }), world));
    this.surface = surface;
    this.note = element("p", { class: "empty" });
    this.stage = element("div", { class: "stage" }, surface, this.note);
    this.help = helpPopover();
    const tool = (/** @type {string[]} */ [id, title, key]) =>
      button(title, () => this.setTool(id), { "data-tool": id, "aria-pressed": String(id === this.tool), "aria-keyshortcuts": key, title: `${title} (${key})` });
    this.snap = button("Grid", () => this.setSnaps(!this.snaps), { "aria-pressed": "false", title: "Snap to the grid (G)" });
    this.tools = element("div", { class: "tools", role: "toolbar", "aria-label": "Tools" },
      ...TOOLS.map(tool), element("span", { class: "gap" }),
      button("Layout", () => void this.layOut(), { title: "Place everything anew", "data-xml": true }), this.snap,
      button("−", () => this.canvas.zoom(0.8), { "aria-label": "Zoom out", title: "Zoom out (−)" }),
      button("Fit", () => this.canvas.fit(), { title: "Show the whole drawing (F)" }),
      button("+", () => this.canvas.zoom(1.25), { "aria-label": "Zoom in", title: "Zoom in (+)" }),
      button("?", () => this.help.togglePopover(), { "aria-label": "Keys", title: "Keys (?)" }));
    const middle = element("div", { class: "middle" }, this.tools, this.stage);
    const panel = element("aside", { class: "panel", "aria-label": "Properties" });
    root.append(side, middle, panel, this.help);
    this.canvas = new Canvas(surface, world, this);
    this.templates = new Templates(side, this);
    this.panel = new Panel(panel, this);
    this.inline = new Inline(this.stage, this.labels());
    surface.addEventListener("keydown", (event) => runKey(this, event));
    surface.addEventListener("focusin", (event) => this.focused(/** @type {Element} */ (event.target)));
    new ResizeObserver(() => (this.canvas.isFitted ? this.canvas.fit() : this.seen())).observe(this.stage);
    this.flusher = () => this.finish();
    studio.flushers.push(this.flusher);
    studio.addEventListener("session", () => this.begin());
    studio.addEventListener("document", () => void this.load());
    studio.addEventListener("place", (event) => this.goTo(/** @type {CustomEvent} */ (event).detail.path));
  }

  shown() {
    this.isShown = true;
    void this.load();
  }

  hidden() {
    this.isShown = false;
    void this.finish();
  }

  /** Another document is opened. */
  begin() {
    [this.template, this.revision, this.drawings] = [0, -1, []];
    this.selection.clear();
    this.fits = false;
  }

  get isNet() {
    return Boolean(this.studio.document?.net);
  }

  get drawing() {
    return this.drawings[this.template] ?? null;
  }

  /** Loads the drawings if the document has changed. */
  async load() {
    const { api, document: of } = this.studio;
    if (!api || !of || !this.isShown || of.revision === this.revision) return;
    const answer = await this.studio.run(api.get("drawings"));
    if (!answer || api !== this.studio.api || answer.revision < this.revision) return;
    const before = this.drawing?.name;
    this.revision = answer.revision;
    this.drawings = answer.drawings;
    const same = this.drawings.findIndex((drawing) => drawing.name === before);
    if (this.drawings[this.template]?.name !== before && same >= 0) this.template = same;
    this.template = Math.max(0, Math.min(this.template, this.drawings.length - 1));
    this.draw();
  }

  /** Draws the template. */
  draw() {
    const { drawing, scene } = this;
    const had = this.surface.contains(document.activeElement);
    const active = this.activeKey();
    const format = this.studio.document?.format;
    this.note.hidden = drawing !== null;
    this.note.textContent = `There is no ${this.isNet ? "net" : "template"} that could be drawn. The view Text shows what is wrong.`;
    // Texts have no positions.
    const hasPositions = drawing?.net ? drawing.net.positions : format === "xml";
    for (const each of /** @type {NodeListOf<HTMLButtonElement>} */ (this.tools.querySelectorAll("[data-tool], [data-xml]"))) {
      const tool = each.getAttribute("data-tool") ?? "";
      each.hidden = (this.isNet ? AUTOMATA : NETS).includes(tool);
      each.disabled = !drawing || ((tool === "branchpoint" || each.hasAttribute("data-xml")) && !hasPositions);
      if (tool === "edge") each.textContent = this.isNet ? "Arc" : "Edge";
    }
    this.surface.classList.toggle("net", this.isNet);
    scene.draw(drawing ?? NOTHING);
    this.surface.setAttribute("aria-label", drawing ? `${this.isNet ? "Net" : "Template"} ${drawing.name}` : "Drawing");
    this.selection = new Set([...this.selection].filter((key) => this.exists(key)));
    this.select(this.selection);
    this.templates.show();
    if (drawing && !this.fits && this.surface.clientWidth) {
      this.canvas.fit();
      this.fits = true;
    }
    if (drawing && this.after) {
      const after = this.after;
      this.after = null;
      after(drawing);
    }
    // What had the focus was replaced.
    if (had && !this.stage.contains(document.activeElement)) {
      ((active && scene.elements.get(active)) || this.surface).focus({ preventScroll: true });
    }
  }

  /** @param {Key} key */
  exists(key) {
    const { drawing, scene } = this;
    if (!key.startsWith("nail:")) return scene.elements.has(key);
    const [, edge, nail] = parts(key);
    return Number(nail) < (drawing?.edges[edge]?.nails.length ?? 0);
  }

  /** @param {number} template */
  chooseTemplate(template) {
    if (template < 0 || template >= this.drawings.length || template === this.template) return;
    void this.drop();
    this.template = template;
    this.selection.clear();
    this.fits = false;
    this.draw();
  }

  /** @param {Iterable<Key>} keys */
  select(keys) {
    this.selection = new Set(keys);
    this.scene.select(this.selection);
    this.panel.show();
  }

  /** What is shown of the drawing has changed. */
  seen() {
    this.inline.place();
  }

  // Changes.

  /**
   * Makes operations, which are undone together. Returns whether they were made.
   * @param {any[]} operations
   * @param {((drawing: Drawing) => void)|null} [after] what happens once they are drawn
   * @returns {Promise<boolean>}
   */
  async make(operations, after = null) {
    const moved = this.scene.positions?.take(this.template) ?? [];
    this.nudged = [0, 0];
    const first = moved.length ? this.enqueue(moved) : null;
    return operations.length ? this.enqueue(operations, after) : first ?? false;
  }

  /** @param {any[]} operations @param {((drawing: Drawing) => void)|null} [after] @returns {Promise<boolean>} */
  enqueue(operations, after = null) {
    const run = async () => {
      // What is typed elsewhere comes first.
      for (const flush of this.studio.flushers) if (flush !== this.flusher) await flush();
      const { api } = this.studio;
      if (!api) return false;
      const group = `drawing ${performance.now()}`;
      let [revision, fine] = [this.studio.document?.revision ?? 0, true];
      /** @type {import("./api.js").DocumentSummary|null} */
      let summary = null;
      try {
        for (const operation of operations) {
          const made = await api.post("edit", { revision, operation, group });
          [summary, revision] = [made, made.revision];
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.studio.notice(error.message);
        this.cancel();
        fine = false;
      }
      if (summary) {
        if (fine) this.after = after;
        this.studio.changed(summary);
        await this.load();
      }
      return fine;
    };
    this.queue = this.queue.then(run, run);
    return this.queue;
  }

  /** Shows elements as moved. @param {Iterable<Key>} keys @param {Point} by */
  drag(keys, by) {
    this.scene.positions?.shift(keys, by);
    this.scene.moved();
  }

  /** Keeps what was moved. */
  async drop() {
    await this.make([]);
  }

  /** Keeps everything that was begun, and waits until the server has it. */
  async finish() {
    this.inline.close(true, false);
    await this.drop();
    await this.queue;
  }

  /** Puts back what was moved. */
  cancel() {
    this.nudged = [0, 0];
    const { positions } = this.scene;
    if (!positions) return;
    positions.moved.clear();
    // A line may have been bent.
    this.revision = -1;
    void this.load();
  }

  /** @param {Point} at */
  async add(at) {
    const { template } = this;
    const branchpoint = this.tool === "branchpoint";
    const kind = branchpoint || this.tool === "transition" ? this.tool : this.isNet ? "place" : "location";
    const name = this.freshName(kind);
    const after = (/** @type {Drawing} */ drawing) => {
      // In some formats of nets, a new node is not the last one.
      const list = /** @type {{name: string}[]} */ (/** @type {any} */ (drawing)[`${kind}s`]);
      const at = this.isNet ? list.findIndex((node) => node.name === name) : list.length - 1;
      this.focusOn(`${kind}:${at}`);
      if (!branchpoint) this.inline.open(`${kind}:${at}`, "name");
    };
    const operation = branchpoint ? { op: "add-branchpoint", template, at } : { op: `add-${kind}`, template, at, name };
    await this.make([operation], after);
  }

  /** @param {string} kind */
  freshName(kind) {
    const { locations, places, transitions } = this.drawing ?? NOTHING;
    const names = new Set([...locations, ...places, ...transitions].map((node) => node.name));
    const letter = { place: "p", transition: "t" }[kind] ?? "L";
    let number = { place: places, transition: transitions }[kind]?.length ?? locations.length;
    while (names.has(`${letter}${number}`)) number++;
    return `${letter}${number}`;
  }

  /** @param {Key} source @param {Key} target @param {Point[]} nails */
  async connect(source, target, nails) {
    this.setTool("select");
    const after = (/** @type {Drawing} */ drawing) => {
      const is = (/** @type {import("./editor/model.js").DrawnEdge} */ edge) => keyOf(edge.source) === source && keyOf(edge.target) === target;
      this.focusOn(`edge:${drawing.edges.map(is).lastIndexOf(true)}`);
    };
    const operation = { op: "add-edge", template: this.template, source: itemOf(source), target: itemOf(target), nails };
    await this.make([operation], after);
  }

  /** Bends an edge, without keeping it yet. @param {number} edge @param {number} segment @param {Point} at */
  bend(edge, segment, at) {
    const { drawing, scene } = this;
    const of = drawing?.edges[edge];
    if (!drawing?.is_placed || drawing.net || !of || !scene.positions) return;
    of.nails.splice(segment, 0, [Math.round(at[0]), Math.round(at[1])]);
    // The whole bend is new to the model.
    of.is_nailed = false;
    this.select([`nail:${edge}:${segment}`]);
  }

  addNail() {
    const key = [...this.selection].find((k) => /^(edge|nail):/.test(k));
    if (!key || !this.scene.positions || this.isNet) return;
    const edge = Number(key.split(":")[1]);
    const path = this.scene.positions.path(edge);
    const size = (/** @type {number} */ i) => Math.hypot(path[i + 1][0] - path[i][0], path[i + 1][1] - path[i][1]);
    const segment = [...Array(path.length - 1).keys()].reduce((best, i) => (size(i) > size(best) ? i : best), 0);
    /** @type {Point} */
    const at = [Math.round((path[segment][0] + path[segment + 1][0]) / 2), Math.round((path[segment][1] + path[segment + 1][1]) / 2)];
    const nails = path.slice(1, -1).map(([x, y]) => [Math.round(x), Math.round(y)]);
    nails.splice(segment, 0, at);
    void this.make([{ op: "nails", template: this.template, edge, nails }], () => this.select([`nail:${edge}:${segment}`]));
  }

  /** Deletes what is selected. */
  async remove() {
    const { template, drawing } = this;
    if (!drawing) return;
    const keys = [...this.selection];
    const items = keys.filter((key) => !/^(nail|label):/.test(key));
    const rest = keys.filter((key) => /^(nail|label):/.test(key) && !this.selection.has(ownerOf(key)));
    const operations = [];
    /** @type {Map<number, Set<number>>} */
    const nails = new Map();
    for (const key of rest) {
      const [kind, edge, nail] = parts(key);
      if (kind === "nail") nails.set(edge, (nails.get(edge) ?? new Set()).add(Number(nail)));
      else {
        const [owner, label] = labelOf(key);
        if (label === "name" && this.isNet) continue;
        if (label === "name") operations.push({ op: "rename-location", template, location: parts(owner)[1], name: "" });
        else operations.push({ op: "label", template, of: itemOf(owner), kind: label, text: "" });
      }
    }
    for (const [edge, gone] of nails) {
      operations.push({ op: "nails", template, edge, nails: drawing.edges[edge].nails.filter((_, i) => !gone.has(i)) });
    }
    if (items.length) operations.push({ op: "delete", template, items: items.map(itemOf) });
    this.select([]);
    await this.make(operations);
    this.surface.focus({ preventScroll: true });
  }

  /** @param {string} what */
  toggle(what) {
    const { drawing, template } = this;
    const operations = [...this.selection].filter((key) => key.startsWith("location:")).flatMap((key) => {
      const location = parts(key)[1];
      if (what === "initial") return [{ op: what, template, location }];
      return this.flag(location, what, !drawing?.locations[location][/** @type {"urgent"|"committed"} */ (what)]);
    });
    void this.make(operations);
  }

  /**
   * Returns the operations that make a location urgent or committed, or neither: it can't be both.
   * @param {number} location @param {string} what @param {boolean} on
   */
  flag(location, what, on) {
    const { template } = this;
    const other = what === "urgent" ? "committed" : "urgent";
    const isOther = on && this.drawing?.locations[location][/** @type {"urgent"|"committed"} */ (other)];
    return [...(isOther ? [{ op: other, template, location, on: false }] : []), { op: what, template, location, on }];
  }

  async layOut() {
    this.fits = false;
    await this.make([{ op: "layout", template: this.template }]);
    this.canvas.fit();
  }

  /** Aligns or spreads the selected nodes. @param {string} how */
  align(how) {
    const { scene } = this;
    const { positions } = scene;
    const keys = [...this.selection].filter(isNode);
    if (!positions || keys.length < 2) return;
    const at = keys.map((key) => positions.original(key));
    const axis = ["left", "middle", "right", "across"].includes(how) ? 0 : 1;
    const all = at.map((p) => p[axis]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const order = [...keys.keys()].sort((a, b) => at[a][axis] - at[b][axis]);
    const to = (/** @type {number} */ i) => {
      if (how === "across" || how === "down") return low + ((high - low) * order.indexOf(i)) / (keys.length - 1);
      if (how === "left" || how === "top") return low;
      return how === "right" || how === "bottom" ? high : (low + high) / 2;
    };
    /** @type {Map<Key, Point>} */
    const moved = new Map();
    keys.forEach((key, i) => {
      /** @type {Point} */
      const by = [0, 0];
      by[axis] = Math.round(to(i) - at[i][axis]);
      positions.shift([key], by);
      for (const [each, place] of positions.moved) if (ownerOf(each) === key) moved.set(each, place);
    });
    positions.moved = moved;
    scene.moved();
    void this.make([]);
  }

  /** Shows a place of the text in the drawing, if it is drawn. @param {string} path */
  goTo(path) {
    const found = /^\/nta\/template\[(\d+)\]\//.exec(path);
    const template = Number(found?.[1]) - 1;
    const drawing = this.drawings[template];
    if (!found || !drawing) return;
    const within = (/** @type {{path: string}} */ of) => path === of.path || path.startsWith(`${of.path}/`);
    const [location, edge] = [drawing.locations.findIndex(within), drawing.edges.findIndex(within)];
    if (location < 0 && edge < 0) return;
    this.chooseTemplate(template);
    this.focusOn(location >= 0 ? `location:${location}` : `edge:${edge}`);
  }

  // Labels.

  /** @returns {import("./editor/inline.js").LabelHost} */
  labels() {
    const operation = (/** @type {Key} */ owner, /** @type {string} */ kind, /** @type {string} */ text) => {
      const { template } = this;
      const [, number] = parts(owner);
      if (kind === "name" && this.isNet) return { op: "rename-node", template, node: itemOf(owner), name: text };
      if (kind === "name") return { op: "rename-location", template, location: number, name: text };
      return { op: "label", template, of: itemOf(owner), kind, text };
    };
    return {
      label: (owner, kind) => this.scene.positions?.label(`label:${owner}:${kind}`),
      keep: (owner, kind, text) => this.make([operation(owner, kind, text)]),
      check: async (owner, kind, text) => {
        try {
          const { drawings, tokens } = await /** @type {any} */ (this.studio.api).post("preview", { operation: operation(owner, kind, text) });
          const [of, number] = parts(owner);
          const element = drawings[this.template]?.[`${of}s`]?.[number];
          return { problems: element?.labels.find((/** @type {any} */ l) => l.kind === kind)?.problems ?? [], tokens, refusal: "" };
        } catch (error) {
          return { problems: [], tokens: [], refusal: error instanceof Refusal ? error.message : String(error) };
        }
      },
      where: (owner, kind) => this.whereLabel(owner, kind),
      kinds: (owner) => labelKinds(this.drawing ?? NOTHING, owner),
      closed: () => this.focusOn(this.inline.owner),
    };
  }

  /** @param {Key} owner @param {string} kind @param {string} text */
  setLabel(owner, kind, text) {
    return this.inline.host.keep(owner, kind, text);
  }

  /** @param {Key} owner @param {string} kind @returns {Point} */
  whereLabel(owner, kind) {
    const { positions } = this.scene;
    if (!positions || !this.exists(owner)) return [0, 0];
    const label = positions.label(`label:${owner}:${kind}`);
    if (label) return this.canvas.where(positions.of(`label:${owner}:${kind}`));
    if (isNode(owner)) return this.canvas.where(positions.of(owner));
    const path = positions.path(parts(owner)[1]);
    const [a, b] = [path[(path.length - 1) >> 1], path[((path.length - 1) >> 1) + 1]];
    return this.canvas.where([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]);
  }

  /** Begins to edit a label, or bends an edge. @param {Key} key */
  open(key) {
    if (key.startsWith("branchpoint:")) return;
    this.inline.open(...labelOf(key));
  }

  // Keys.

  /** All elements that Tab goes through. */
  order() {
    const { drawing } = this;
    if (!drawing) return [];
    return nodeKeys(drawing).flatMap((node) => [node, ...drawing.edges.flatMap((edge, i) => (keyOf(edge.source) === node ? [`edge:${i}`] : []))]);
  }

  /** @returns {Key|null} the element that has the focus, or the last that was selected */
  activeKey() {
    const focused = document.activeElement?.getAttribute("data-key");
    return focused ?? [...this.selection].map((key) => labelOf(key)[0]).pop() ?? null;
  }

  /** @param {number} by */
  step(by) {
    const order = this.order().filter((key) => !this.canvas.pending || !key.startsWith("edge:"));
    const active = this.activeKey();
    const at = active && order.includes(active) ? order.indexOf(active) + by : by > 0 ? 0 : -1;
    const next = order[at];
    if (!next || (by < 0 && document.activeElement === this.surface)) return false;
    this.focusOn(next);
    if (this.canvas.pending) this.canvas.drawPending(/** @type {any} */ (this.scene.positions).of(next));
    return undefined;
  }

  /** Selects the next label or nail of the element. */
  stepWithin() {
    const owner = this.activeKey();
    if (!owner || !this.scene.positions) return;
    const all = [...this.scene.elements.keys()].filter((key) => key.startsWith(`label:${owner}:`));
    const [kind, edge] = parts(owner);
    if (kind === "edge") all.push(...(this.drawing?.edges[edge].nails ?? []).map((_, i) => `nail:${edge}:${i}`));
    if (!all.length) return;
    const at = all.findIndex((key) => this.selection.has(key));
    this.select([at + 1 < all.length ? all[at + 1] : owner]);
  }

  /** Puts the focus on an element and selects it. @param {Key} key */
  focusOn(key) {
    const made = this.scene.elements.get(key);
    this.select(made ? [key] : []);
    (made ?? this.surface).focus({ preventScroll: true });
    if (made) this.canvas.reveal(made);
  }

  /** @param {Element} target */
  focused(target) {
    const key = target.getAttribute("data-key");
    if (key && !this.canvas.press && ![...this.selection].some((k) => labelOf(k)[0] === key)) this.select([key]);
  }

  /** @param {Point} direction @param {boolean} fine */
  nudge(direction, fine) {
    const step = fine ? 1 : GRID;
    if (this.selection.size === 0) return this.canvas.pan([-direction[0] * 60, -direction[1] * 60]);
    this.nudged = [this.nudged[0] + direction[0] * step, this.nudged[1] + direction[1] * step];
    this.drag(this.selection, this.nudged);
    this.keepSoon();
  }

  enter() {
    const active = this.activeKey();
    if (!active) return;
    if (this.canvas.pending && !active.startsWith("edge:")) this.canvas.finish(active);
    else this.open([...this.selection].find((key) => key.startsWith("label:")) ?? active);
  }

  escape() {
    if (this.help.matches(":popover-open")) this.help.hidePopover();
    else if (this.canvas.pending || this.canvas.press) this.canvas.cancel();
    else if (this.tool !== "select") this.setTool("select");
    else this.focusOn("");
  }

  selectAll() {
    this.select(this.order());
  }

  /** @param {string} tool */
  setTool(tool) {
    this.tool = tool;
    this.canvas.cancel();
    this.surface.dataset.tool = tool;
    for (const each of this.tools.querySelectorAll("[data-tool]")) each.setAttribute("aria-pressed", String(each.getAttribute("data-tool") === tool));
  }

  /** Chooses a tool by a key. @param {string} tool @param {KeyboardEvent} _event */
  useTool(tool, _event) {
    const active = this.activeKey();
    if (tool === "edge" && active && isNode(active)) {
      this.setTool("edge");
      return this.canvas.begin(active);
    }
    if (this.tool === tool) {
      // Twice: in the middle of the view, without a pointer.
      const { clientWidth, clientHeight } = this.surface;
      if (tool !== "edge") return void this.add(this.canvas.snapped(this.canvas.point([clientWidth / 2, clientHeight / 2])));
    }
    this.setTool(tool);
  }

  /** @param {boolean} snaps */
  setSnaps(snaps) {
    this.snaps = snaps;
    this.snap.setAttribute("aria-pressed", String(snaps));
    this.surface.classList.toggle("snaps", snaps);
  }
}
