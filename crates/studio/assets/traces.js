// @ts-check
// The trace player: traces of answers, of files and of the simulator.

import { button, element, picture } from "./dom.js";
import { finder, follow, keepReadable, pinned } from "./drawings.js";
import { saveFile, savePng, saveSvg } from "./export.js";
import { Player } from "./player.js";

/** @typedef {import("./app.js").Studio} Studio */
/**
 * A trace, as the server describes it.
 * @typedef {Object} TraceView
 * @property {string} query @property {string} heading @property {string[]} notes @property {number} length
 * @property {number} shown @property {boolean} spurious @property {number|null} cycle
 * @property {{step: number, locations: string[], differences: [string, string, string, string][], zones: boolean, strategy: string}|null} blame
 * @property {any} played @property {string} style @property {string} chart @property {string} timeline
 * @property {import("./drawings.js").DrawingView[]} drawings @property {any} file
 */

/** The most traces that are kept for the list. */
const MAX_KEPT = 30;
/** The largest file that is opened. */
const MAX_BYTES = 12 * 1024 * 1024;

/** The view "Trace". */
export class Traces {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.root = root;
    this.studio = studio;
    /** @type {{key: string, view: TraceView}[]} */
    this.kept = [];
    /** @type {TraceView|null} */
    this.view = null;
    /** @type {Player|null} */
    this.player = null;
    this.root.classList.add("traces");
    this.list = element("select", { "aria-label": "Trace" });
    this.list.addEventListener("change", () => this.show(this.kept[Number(this.list.value)].view));
    this.file = element("input", { type: "file", accept: ".json,application/json", hidden: true });
    this.file.addEventListener("change", () => {
      const [file] = this.file.files ?? [];
      if (file) void this.read(file);
      this.file.value = "";
    });
    this.actions = element("span", { class: "actions", hidden: true },
      button("Load into simulator", () => this.simulate(), { title: "Go on from this step (Enter)" }),
      button("Chart SVG", () => this.view && saveSvg("sequence-chart", this.whole("chart"))),
      button("Chart PNG", () => this.png("sequence-chart", "chart")),
      button("Timeline SVG", () => this.view && saveSvg("timeline", this.whole("timeline"))),
      button("Timeline PNG", () => this.png("timeline", "timeline")),
      button("Save trace", () => this.save(), { title: "A file for merkhet replay" }),
    );
    this.status = element("output", { class: "message", "aria-live": "polite" });
    this.heading = element("div", { class: "heading" });
    this.stage = element("div", { class: "stage" });
    this.empty = element("p", { class: "empty" },
      "There is no trace yet. Run a query that has one, play the run of the simulator, or open a file that ",
      element("code", {}, "merkhet verify --trace-file"), " has written: drop it here.");
    this.root.append(
      element("div", { class: "tools", role: "toolbar", "aria-label": "Traces" }, this.list,
        button("Open traces…", () => this.file.click()), this.file, this.actions),
      this.status, this.heading, this.empty, this.stage,
    );
    this.list.hidden = true;
    this.root.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.root.classList.add("drop");
    });
    this.root.addEventListener("dragleave", () => this.root.classList.remove("drop"));
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.root.classList.remove("drop");
      const [file] = event.dataTransfer?.files ?? [];
      if (file) void this.read(file);
    });
    this.root.addEventListener("keydown", (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.key === "Enter" && !target.closest("button, select, input, a, summary")) this.simulate();
    });
    studio.addEventListener("session", () => this.forget());
    studio.addEventListener("trace", (event) => void this.open(/** @type {CustomEvent} */ (event).detail));
  }

  /** The view is shown. */
  shown() {
    if (this.player) this.player.show(this.player.step);
  }

  /** The view is hidden. */
  hidden() {
    this.player?.stop();
  }

  forget() {
    this.kept = [];
    this.view = null;
    this.player?.stop();
    this.player = null;
    this.stage.replaceChildren();
    this.heading.replaceChildren();
    this.list.hidden = this.actions.hidden = true;
    this.empty.hidden = false;
    this.status.textContent = "";
  }

  /**
   * Opens a trace of an answer, or of a simulator.
   * @param {{answer?: number, simulator?: number}} detail
   */
  async open({ answer, simulator }) {
    const { api } = this.studio;
    if (!api) return;
    this.studio.show("trace");
    const known = answer === undefined ? undefined : this.kept.find(({ key }) => key === `answer ${answer}`);
    if (known) return this.show(known.view);
    const path = answer === undefined ? `simulators/${simulator}/trace` : `answers/${answer}/trace`;
    const view = await this.studio.run(api.get(path));
    if (view) this.keep([{ key: answer === undefined ? `simulator ${simulator}` : `answer ${answer}`, view }]);
  }

  /** @param {File} file */
  async read(file) {
    if (file.size > MAX_BYTES) {
      this.studio.notice(`${file.name} is too large for the page; merkhet replay reads it.`);
      return;
    }
    const { api } = this.studio;
    const views = api && (await this.studio.run(api.post("traces", { text: await file.text() })));
    if (views) this.keep(views.map((/** @type {TraceView} */ view, /** @type {number} */ i) => ({ key: `${file.name} ${i + 1}`, view })));
  }

  /**
   * Adds traces to the list, and shows the first of them.
   * @param {{key: string, view: TraceView}[]} added
   */
  keep(added) {
    const keys = new Set(added.map(({ key }) => key));
    this.kept = [...added, ...this.kept.filter(({ key }) => !keys.has(key))].slice(0, MAX_KEPT);
    if (added.length) this.show(added[0].view);
  }

  /**
   * Shows a trace.
   * @param {TraceView} view
   */
  show(view) {
    this.player?.stop();
    this.view = view;
    this.list.replaceChildren(...this.kept.map(({ key, view: each }, i) =>
      element("option", { value: i, selected: each === view }, `${each.query} – ${each.length} steps (${key})`)));
    this.list.hidden = this.kept.length < 2;
    this.actions.hidden = false;
    this.empty.hidden = true;
    for (const each of /** @type {HTMLButtonElement[]} */ ([...this.actions.children])) {
      if (["Load into simulator", "Save trace"].includes(each.textContent ?? "")) each.disabled = !view.file;
    }
    this.heading.replaceChildren(element("h2", {}, element("code", {}, view.query)), element("p", {}, view.heading));
    if (view.cycle !== null) {
      const step = view.cycle + 1;
      this.heading.append(element("p", {}, `An infinite run: after the last step it goes on at step ${step} again. `,
        button(`Go to step ${step}`, () => this.player?.go(step))));
    }
    if (view.shown < view.length) this.heading.append(element("p", {}, `The first ${view.shown} of ${view.length} steps are shown.`));
    view.notes.forEach((note) => this.heading.append(element("p", { class: "bad" }, note)));
    if (view.spurious) this.heading.append(this.blame(view));
    const figure = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ svg) => {
      const drawn = picture(svg);
      drawn.setAttribute("role", "img");
      drawn.setAttribute("aria-label", title);
      return element("figure", { class: name, tabindex: "0" }, element("figcaption", {}, title), name === "timeline" ? pinned(drawn) : drawn);
    };
    const root = element("div", { class: "trace" }, figure("chart", "Sequence chart", view.chart), figure("timeline", "Timeline", view.timeline));
    this.stage.replaceChildren(root);
    const player = new Player(root, view.played, finder(view.drawings));
    player.drawings.forEach(({ svg }) => keepReadable(svg));
    // Whoever uses the keyboard can scroll what has a tab stop.
    root.querySelectorAll(".values, figure").forEach((each) => each.setAttribute("tabindex", "0"));
    player.onstep = (step) => {
      root.classList.toggle("at-blame", view.blame?.step === step);
      player.drawings.forEach(({ svg }) => follow(svg));
    };
    this.player = player;
    player.show(0);
  }

  /**
   * Explains a spurious trace.
   * @param {TraceView} view
   */
  blame({ blame }) {
    const box = element("div", { class: "blame", role: "note" }, element("p", {}, "No run of the model takes this trace: on its way, states were joined."));
    if (!blame) return box;
    const { step, locations, differences, zones, strategy } = blame;
    const where = step === 0 ? "at the start" : `in step ${step}`;
    box.append(element("p", {}, `The join ${where} is to blame, in ${locations.join(", ")}. `, button(`Go to step ${step}`, () => this.player?.go(step))));
    if (differences.length) {
      const row = (/** @type {string[]} */ cells) => element("tr", {}, ...cells.map((cell, i) => element(i ? "td" : "th", i ? {} : { scope: "row" }, cell)));
      const head = element("tr", {}, ...["", "stored state", "new state", "their join"].map((title) => element("th", { scope: "col" }, title)));
      box.append(element("table", {}, element("thead", {}, head), element("tbody", {}, ...differences.map(row))));
    }
    if (zones) box.append(element("p", {}, "The trace needs values of clocks that neither state has, only the convex hull of both zones."));
    box.append(element("p", {}, "Without this join: ", element("code", {}, `--join '${strategy}'`), " ",
      button("Copy", () => void navigator.clipboard.writeText(`--join '${strategy}'`), { "aria-label": "Copy the option" })));
    return box;
  }

  /** Loads the step that is shown into the simulator. */
  simulate() {
    if (!this.view?.file || !this.player) return;
    this.studio.emit("state", { file: JSON.stringify(this.view.file), trace: 0, step: this.player.step });
  }

  save() {
    if (this.view?.file) saveFile("trace.json", "application/json", `${JSON.stringify(this.view.file, null, 2)}\n`);
  }

  /**
   * Returns a picture with its style sheet, for use outside of the page.
   * @param {"chart"|"timeline"} which
   */
  whole(which) {
    if (!this.view) return "";
    const { style } = this.view;
    return this.view[which].replace(/^(<svg[^>]*>)/, (start) => `${start}<style>${style}</style>`);
  }

  /** @param {string} name @param {"chart"|"timeline"} which */
  png(name, which) {
    void savePng(name, this.whole(which)).catch((error) => this.studio.notice(String(error)));
  }
}
