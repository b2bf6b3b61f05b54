// @ts-check
// The simulator: what is possible, with exact delays, and what the state is.

import { Refusal } from "./api.js";
import { button, element, later, picture } from "./dom.js";
import { Drawings, pinned } from "./drawings.js";
import { words } from "./fraction.js";
import { Moves } from "./moves.js";
import { StateTable } from "./state-table.js";
import { saveFile } from "./export.js";

/** @typedef {import("./app.js").Studio} Studio */
/** @typedef {import("./drawings.js").Choice} Choice */
/** @typedef {import("./fraction.js").DelayRange} DelayRange */
/** @typedef {Choice & {earliest: string|null}} TimedChoice */
/** @typedef {{number: number, delays: DelayRange[]}} Transition */
/** @typedef {{message: string, place: string|null, delays: DelayRange[], fatal: boolean}} RunTimeError */
/** @typedef {Choice & {number: number, locations: string[], zone: string[], now: boolean}} Successor */
/** @typedef {{zone: string[], successors: Successor[], more: number, problem: string|null}} Symbolic */
/**
 * What a simulator tells of its state.
 * @typedef {Object} SimulatorView
 * @property {string|null} message
 * @property {{moves: number, ahead: number, time: string, state: any, wait: DelayRange, limit: string|null,
 *   transitions: Transition[], errors: RunTimeError[], deadlock: boolean, problem: string|null}} now
 * @property {import("./drawings.js").Active} active
 * @property {TimedChoice[]} choices
 * @property {(Choice & {step: any, set: string[]})|null} last
 * @property {number} first
 * @property {{number: number, what: string|null, delay: string, time: string}[]} history
 * @property {{number: number, expression: string, holds: boolean|null}[]} breakpoints
 * @property {number} seed
 * @property {Symbolic|null} symbolic
 */
/**
 * What does not change.
 * @typedef {Object} About
 * @property {number} id @property {number} revision @property {import("./drawings.js").ProcessView[]} processes
 * @property {string[]} places @property {import("./drawings.js").DrawingView[]} drawings @property {number} horizon
 */

/** The view "Simulator". */
export class Simulator {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.root = root;
    this.studio = studio;
    /** @type {About|null} */
    this.about = null;
    /** @type {SimulatorView|null} */
    this.view = null;
    /** @type {Drawings|null} */
    this.drawings = null;
    this.isShown = false;
    /** The numbers of moves after which the steps of the timeline are made. @type {number[]} */
    this.steps = [];
    /** Requests are made one after the other. @type {Promise<any>} */
    this.queue = Promise.resolve();
    this.timer = 0;
    this.redraw = later(120, () => void this.drawTimeline());
    this.root.classList.add("simulator");
    const tool = (/** @type {string} */ label, /** @type {() => void} */ click, /** @type {string} */ key, text = label) =>
      button(text, click, { "aria-label": label, title: key ? `${label} (${key})` : label, "aria-keyshortcuts": key || null });
    this.speed = element("input", { type: "range", min: "0", max: "6", step: "1", value: "2", "aria-label": "Speed of the random walk" });
    this.speed.addEventListener("input", () => this.describeSpeed());
    this.describeSpeed();
    this.seed = element("input", { type: "number", min: "0", max: "9007199254740991", step: "1", value: "1", class: "seed" });
    this.seed.addEventListener("change", () => {
      const seed = Number(this.seed.value);
      if (Number.isSafeInteger(seed) && seed >= 0) void this.act({ do: "random", steps: 0, seed });
    });
    this.play = tool("Random walk", () => this.toggle(), "w", "▶ Random walk");
    this.symbolic = button("Symbolic", () => this.toggleSymbolic(), { "aria-pressed": "false", title: "Show the zone of the symbolic state" });
    this.message = element("output", { class: "message", "aria-live": "polite" });
    this.outdated = element("p", { class: "outdated", role: "status", hidden: true }, "The model has changed since this run began. ",
      button("Simulate the new model", () => void this.start()));
    const bar = element("div", { class: "tools", role: "toolbar", "aria-label": "Run" },
      tool("To the start", () => this.act({ do: "goto", moves: 0 }), "Home", "|◀\ufe0e"),
      tool("Take back", () => this.back(1), "Backspace", "◀\ufe0e Take back"),
      tool("Make again", () => this.back(-1), "Shift+Backspace", "▶\ufe0e"),
      tool("Reset", () => this.act({ do: "reset" }), "", "Reset"),
      element("span", { class: "gap" }),
      tool("Random step", () => this.act({ do: "random", steps: 1 }), "r"),
      this.play, this.speed, element("label", { title: "Random choices are repeated from a seed" }, "seed ", this.seed),
      tool("Run to breakpoint", () => this.act({ do: "random", steps: 10000 }), "", "Run to breakpoint"),
      element("span", { class: "gap" }),
      this.symbolic,
      button("Play as trace", () => this.studio.emit("trace", { simulator: this.about?.id }), { title: "Sequence chart and timeline of this run" }),
      button("Save run", () => void this.save(), { title: "A file for merkhet replay" }),
    );
    this.moves = new Moves(this);
    this.table = new StateTable();
    this.pictures = element("div", { class: "views", role: "group", "aria-label": "Drawings with what is active", tabindex: "0" });
    this.timeline = element("figure", { class: "timeline", tabindex: "0", role: "group", "aria-label": "Timeline of the run" });
    this.timeline.addEventListener("click", (event) => this.pick(event));
    this.history = element("ol", { class: "history", "aria-label": "Moves of the run" });
    this.breaks = element("ul", { class: "breaks" });
    const condition = element("input", { type: "text", placeholder: "P.a and x > 3", "aria-label": "Condition of a new breakpoint", spellcheck: "false" });
    const add = element("form", { class: "add" }, condition, button("Add", () => {}, { type: "submit" }));
    add.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!condition.value.trim()) return;
      void this.act({ do: "break", expression: condition.value }).then((done) => {
        if (done) condition.value = "";
      });
    });
    this.zone = element("div", { class: "zone" });
    this.zonePart = element("section", { class: "part", hidden: true }, element("h2", {}, "Symbolic state"), this.zone);
    const part = (/** @type {string} */ title, /** @type {HTMLElement[]} */ ...inside) =>
      element("section", { class: "part" }, element("h2", {}, title), ...inside);
    this.root.append(
      element("div", { class: "top" }, bar, this.message, this.outdated),
      element("div", { class: "left" }, part("Transitions", this.moves.root), part("Breakpoints", add, this.breaks), part("Moves", this.history)),
      element("div", { class: "middle" }, this.pictures, this.timeline),
      element("div", { class: "right" }, this.zonePart, part("State", this.table.root)),
    );
    this.root.addEventListener("keydown", (event) => this.key(event));
    studio.addEventListener("session", () => this.forget());
    studio.addEventListener("document", () => this.compareRevision());
    studio.addEventListener("state", (event) => void this.load(/** @type {CustomEvent} */ (event).detail));
  }

  /** The view is shown. */
  shown() {
    this.isShown = true;
    if (!this.about) void this.start();
    this.redraw();
  }

  /** The view is hidden. */
  hidden() {
    this.isShown = false;
    this.stop();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || target instanceof HTMLInputElement) return;
    const now = this.view?.now;
    /** @type {Record<string, () => void>} */
    const keys = {
      Backspace: () => this.back(event.shiftKey ? -1 : 1),
      Home: () => void this.act({ do: "goto", moves: 0 }),
      End: () => void this.act({ do: "goto", moves: (now?.moves ?? 0) + (now?.ahead ?? 0) }),
      r: () => void this.act({ do: "random", steps: 1 }),
      w: () => this.toggle(),
      b: () => this.back(1),
    };
    const run = keys[event.key];
    if (!run || (target.closest(".timeline, .views") && ["Home", "End"].includes(event.key))) return;
    event.preventDefault();
    run();
  }

  /** Forgets the run, since there is another session. */
  forget() {
    this.stop();
    this.about = this.view = this.drawings = null;
    this.message.textContent = "";
    if (this.isShown) void this.start();
  }

  compareRevision() {
    const is = this.about !== null && this.studio.document?.revision !== this.about.revision;
    this.outdated.hidden = !is;
    // What was refused may have been mended.
    if (!this.about && this.isShown) void this.start();
  }

  /**
   * Begins a run with the model as it is.
   * @param {boolean} [again] whether a run that has begun is kept
   */
  start(again = true) {
    this.stop();
    this.queue = this.queue.then(async () => {
      const { api } = this.studio;
      if (!api || (!again && this.about)) return false;
      await this.studio.flush();
      try {
        const { about, view } = await api.post("simulators");
        const old = this.about;
        if (old) void api.remove(`simulators/${old.id}`).catch(() => {});
        this.about = about;
        this.drawings = new Drawings(this.pictures, about);
        this.moves.horizon = about.horizon;
        this.outdated.hidden = true;
        this.show(view, null);
        if (this.symbolic.getAttribute("aria-pressed") === "true") void this.act({ do: "show" });
        return true;
      } catch (error) {
        this.refuse(error);
        return false;
      }
    });
    return this.queue;
  }

  /** @param {unknown} error */
  refuse(error) {
    if (!(error instanceof Refusal)) throw error;
    this.message.textContent = error.message;
    this.message.className = "message bad";
  }

  /**
   * Does something. Returns whether it was possible.
   * @param {any} action
   * @returns {Promise<boolean>}
   */
  act(action) {
    this.queue = this.queue.then(async () => {
      const { api } = this.studio;
      if (!api || !this.about) return false;
      const symbolic = this.symbolic.getAttribute("aria-pressed") === "true";
      try {
        this.show(await api.post(`simulators/${this.about.id}`, { ...action, symbolic }), this.view);
        return true;
      } catch (error) {
        this.stop();
        this.refuse(error);
        return false;
      }
    });
    return this.queue;
  }

  /** @param {number} moves */
  back(moves) {
    const now = this.view?.now;
    if (!now) return;
    const to = Math.max(0, Math.min(now.moves - moves, now.moves + now.ahead));
    if (to !== now.moves) void this.act({ do: "goto", moves: to });
  }

  /**
   * Loads a state of a state space, or of a trace.
   * @param {any} detail
   */
  async load(detail) {
    this.studio.show("simulator");
    if (!(await this.start(false)) && !this.about) return;
    const action = detail.space !== undefined ? { do: "state", space: detail.space, state: detail.state } : { do: "load", ...detail };
    await this.act(action);
    this.moves.focus();
  }

  describeSpeed() {
    const each = [0.5, 1, 2, 4, 8, 15, 30][Number(this.speed.value)];
    this.speed.title = `${each} steps in a second`;
    this.speed.setAttribute("aria-valuetext", this.speed.title);
    return each;
  }

  /** Walks at random, or stops. */
  toggle() {
    if (this.timer) return this.stop();
    this.play.textContent = "❚❚ Stop";
    const step = async () => {
      const before = this.view?.now.moves;
      const done = await this.act({ do: "random", steps: 1 });
      if (!this.timer) return;
      // A message says why there is no further step.
      if (!done || this.view?.message || this.view?.now.moves === before) this.stop();
      else this.timer = window.setTimeout(step, 1000 / this.describeSpeed());
    };
    this.timer = window.setTimeout(step, 0);
  }

  stop() {
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.play.textContent = "▶ Random walk";
  }

  toggleSymbolic() {
    const is = this.symbolic.getAttribute("aria-pressed") !== "true";
    this.symbolic.setAttribute("aria-pressed", String(is));
    this.zonePart.hidden = !is;
    if (is) void this.act({ do: "show" });
  }

  async save() {
    if (!this.about) return;
    const file = await this.studio.run(this.studio.api?.get(`simulators/${this.about.id}/file`) ?? Promise.resolve(null));
    if (file) saveFile("run.json", "application/json", `${JSON.stringify(file, null, 2)}\n`);
  }

  /**
   * Shows a state.
   * @param {SimulatorView} view
   * @param {SimulatorView|null} before
   */
  show(view, before) {
    this.view = view;
    const { now } = view;
    this.drawings?.show(view.active, view.last, view.choices);
    this.moves.show(view);
    // After going back, what the last move has changed is marked.
    this.table.show(now.state, { time: now.time, last: view.last });
    this.message.className = "message";
    const end = now.problem ?? (now.deadlock ? "Deadlock: no transition is possible." : "");
    this.message.textContent = view.message ?? (end || this.sentence(view, before));
    this.showHistory(view);
    this.showBreakpoints(view);
    if (view.symbolic) this.showZone(view.symbolic);
    this.redraw();
  }

  /**
   * Says what has happened.
   * @param {SimulatorView} view
   * @param {SimulatorView|null} before
   */
  sentence({ now, last, history, first }, before) {
    if (now.moves === 0) return "Start";
    const move = history[now.moves - first];
    const what = last && move?.what ? move.what : "Time passes";
    const delay = move && move.delay !== "0" ? ` after a delay of ${move.delay}` : "";
    return `${before && before.now.moves > now.moves ? "Back to " : ""}${now.moves}: ${what}${delay}`;
  }

  /** @param {SimulatorView} view */
  showHistory({ now, history, first }) {
    const entry = (/** @type {number} */ number, /** @type {string} */ text, /** @type {string} */ time) => {
      const isHere = number === now.moves;
      const go = button("", () => void this.act({ do: "goto", moves: number }), { "aria-current": isHere ? "step" : null });
      go.append(element("span", { class: "what" }, text), element("span", { class: "time" }, time));
      return element("li", { class: number > now.moves ? "ahead" : "" }, go);
    };
    const items = history.map(({ number, what, delay, time }) => {
      const waited = delay === "0" ? "" : `+${delay} `;
      return entry(number, `${number}: ${waited}${what ?? "time passes"}`, time);
    });
    if (first === 1) items.unshift(entry(0, "Start", "0"));
    this.history.replaceChildren(...items);
    const here = this.history.querySelector("[aria-current]");
    if (here) this.history.scrollTop = /** @type {HTMLElement} */ (here).offsetTop - this.history.clientHeight / 2;
  }

  /** @param {SimulatorView} view */
  showBreakpoints({ breakpoints }) {
    this.breaks.replaceChildren(...breakpoints.map(({ number, expression, holds }) =>
      element("li", { class: holds ? "holds" : "" }, element("code", {}, expression), holds ? " holds " : " ",
        button("×", () => void this.act({ do: "delete", number }), { "aria-label": `Remove the breakpoint ${expression}` }))));
  }

  /** @param {Symbolic} symbolic */
  showZone({ zone, successors, more, problem }) {
    const list = (/** @type {string[]} */ all) => element("ul", { class: "constraints" }, ...all.map((each) => element("li", {}, each)));
    const constraints = zone.length ? list(zone) : element("p", { class: "soft" }, problem ? "" : "Every clock may have any value.");
    const items = successors.map((next) => {
      const note = next.now ? "" : "with other delays before";
      const take = button("", () => void this.act({ do: "symbolic", number: next.number }), { class: "take" });
      take.append(element("span", { class: "what" }, next.what), element("span", { class: "when" }, note));
      take.addEventListener("pointerenter", () => this.hint(next));
      take.addEventListener("focus", () => this.hint(next));
      take.addEventListener("pointerleave", () => this.hint(null));
      take.addEventListener("blur", () => this.hint(null));
      const leads = element("p", { class: "soft" }, [...next.locations, next.zone.join(", ")].filter(Boolean).join("; "));
      return element("li", {}, take, leads);
    });
    this.zone.replaceChildren(constraints);
    if (problem) this.zone.append(element("p", { class: "bad" }, problem));
    if (items.length) this.zone.append(element("h3", {}, "Successors"), element("ol", { class: "successors" }, ...items));
    if (more) this.zone.append(element("p", { class: "soft" }, `and ${more} more`));
  }

  /** @param {Choice|null} choice */
  hint(choice) {
    this.drawings?.hint(choice);
  }

  /** Draws the run so far. */
  async drawTimeline() {
    const { api } = this.studio;
    const [about, view] = [this.about, this.view];
    if (!api || !about || !view || !this.isShown) return;
    const drawn = await api.get(`simulators/${about.id}/timeline`).catch(() => null);
    // The run may have gone on meanwhile.
    if (!drawn || this.view !== view || this.about !== about) return;
    this.steps = drawn.moves;
    const svg = picture(drawn.svg);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Timeline; the list of moves has the same contents");
    this.timeline.replaceChildren(pinned(svg));
    const last = [...svg.querySelectorAll("[data-step]")].at(-1);
    last?.classList.add("current");
    this.timeline.scrollLeft = this.timeline.scrollWidth;
  }

  /** Goes to the step of the timeline that was clicked. @param {Event} event */
  pick(event) {
    const group = event.target instanceof Element ? event.target.closest("[data-step]") : null;
    const moves = this.steps[Number(group?.getAttribute("data-step"))];
    if (group && moves !== undefined) void this.act({ do: "goto", moves });
  }
}
