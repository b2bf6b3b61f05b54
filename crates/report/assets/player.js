// Plays a trace: buttons, a slider and keys choose a step; chart, timeline, drawings and values show it.
// Text of the model becomes text nodes, never markup.

/**
 * A state, and the step that leads to it.
 * @typedef {object} PlayedState
 * @property {string} what What happens in the step.
 * @property {number[]} locations The location of each process.
 * @property {number[]} tokens The tokens of each place.
 * @property {string[]} values The value of each variable.
 * @property {([string, string] | null)[]} clocks Each clock when the state is entered and after the delay.
 * @property {string | null} time When the state is entered.
 * @property {string | null} delay The delay in it.
 * @property {[number, number[]][]} edges The edges of the step: processes and indices in their templates.
 * @property {number | null} transition The transition of a net that fires.
 */

/**
 * A trace.
 * @typedef {object} PlayedTrace
 * @property {{name: string, template: number, locations: string[]}[]} processes
 * @property {string[]} places
 * @property {string[]} variables
 * @property {string[]} clocks
 * @property {PlayedState[]} states
 * @property {number | null} cycle The step after which the rest is repeated.
 */

/**
 * Finds the drawing of a template, or of the net.
 * @callback FindDrawing
 * @param {number | null} template
 * @returns {SVGSVGElement | null}
 */

const SVG = "http://www.w3.org/2000/svg";

/** The greatest number of processes that are drawn beside the trace. */
const MAX_DRAWINGS = 24;

/** The milliseconds that a step is shown. */
const PAUSE = 900;

/**
 * Creates an element with text.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** A trace that is played in an element with its chart and timeline. */
export class Player {
  /**
   * @param {HTMLElement} root
   * @param {PlayedTrace} trace
   * @param {FindDrawing} findDrawing
   */
  constructor(root, trace, findDrawing) {
    this.root = root;
    this.trace = trace;
    this.step = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {((step: number) => void) | null} */
    this.onstep = null;
    /** @type {HTMLElement[]} */
    this.pictures = [...root.querySelectorAll("figure")];
    /** @type {{svg: SVGSVGElement, process: number | null}[]} */
    this.drawings = [];
    /** @type {{row: HTMLElement, cell: HTMLElement, read: (state: PlayedState) => string}[]} */
    this.values = [];
    this.status = element("output", "status");
    this.status.setAttribute("aria-live", "polite");
    this.slider = element("input");
    /** @type {Record<string, HTMLButtonElement>} */
    this.buttons = {};
    const panel = element("div", "panel");
    panel.append(this.table(), this.views(findDrawing));
    root.prepend(this.controls(), panel);
    root.classList.add("playable");
    root.addEventListener("keydown", (event) => this.key(event));
    for (const picture of this.pictures) {
      picture.addEventListener("click", (event) => {
        const group = event.target instanceof Element ? event.target.closest("[data-step]") : null;
        if (group) this.show(Number(group.getAttribute("data-step")));
      });
    }
    this.show(0);
  }

  /** The number of the last step. */
  get last() {
    return this.trace.states.length - 1;
  }

  /**
   * Shows the state after a step.
   * @param {number} step
   */
  show(step) {
    this.step = Math.max(0, Math.min(step, this.last));
    const state = this.trace.states[this.step];
    const before = this.step > 0 ? this.trace.states[this.step - 1] : null;
    this.slider.value = String(this.step);
    this.slider.setAttribute("aria-valuetext", state.what);
    this.status.textContent = this.step === 0 ? "Start" : `Step ${state.what}`;
    // A button that were disabled would lose the focus, and the keys with it.
    for (const [names, end] of /** @type {[string[], number][]} */ ([[["first", "back"], 0], [["next", "last"], this.last]])) {
      for (const name of names) this.buttons[name].setAttribute("aria-disabled", String(this.step === end));
    }
    for (const { row, cell, read } of this.values) {
      const text = read(state);
      const isNew = before !== null && read(before) !== text;
      cell.textContent = text;
      row.classList.toggle("changed", isNew);
    }
    for (const drawing of this.drawings) mark(drawing, state);
    for (const picture of this.pictures) this.point(picture);
    if (this.onstep) this.onstep(this.step);
  }

  /** Plays to the end, or stops. */
  toggle() {
    if (this.timer !== undefined) {
      this.stop();
      return;
    }
    if (this.step === this.last) this.show(this.trace.cycle ?? 0);
    this.buttons.play.textContent = "Pause";
    this.timer = window.setInterval(() => {
      // A cycle is played for ever.
      if (this.step < this.last) this.show(this.step + 1);
      else if (this.trace.cycle !== null) this.show(this.trace.cycle + 1);
      else this.stop();
    }, PAUSE);
  }

  /** Stops playing. */
  stop() {
    window.clearInterval(this.timer);
    this.timer = undefined;
    this.buttons.play.textContent = "Play";
  }

  /**
   * Shows a step that the reader has chosen.
   * @param {number} step
   */
  go(step) {
    this.stop();
    this.show(step);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    // The slider has these keys, and a picture scrolls by the others.
    const isSlider = event.target === this.slider;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowRight: () => this.go(this.step + 1),
      ArrowLeft: () => this.go(this.step - 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
    };
    const action = isSlider ? undefined : keys[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  /** Creates the controls. */
  controls() {
    const bar = element("div", "controls");
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "Steps of the trace");
    /** @type {[string, string, string, () => void][]} */
    const buttons = [
      ["first", "|\u25c0", "First state", () => this.go(0)],
      ["back", "\u25c0", "Step back", () => this.go(this.step - 1)],
      ["play", "Play", "Play or pause", () => this.toggle()],
      ["next", "\u25b6", "Step forward", () => this.go(this.step + 1)],
      ["last", "\u25b6|", "Last state", () => this.go(this.last)],
    ];
    for (const [name, text, label, action] of buttons) {
      // Without the selector for text these characters are coloured pictures.
      const button = element("button", "", name === "play" ? text : `${text}\ufe0e`);
      button.type = "button";
      button.title = label;
      if (name !== "play") button.setAttribute("aria-label", label);
      button.addEventListener("click", action);
      this.buttons[name] = button;
      bar.append(button);
    }
    Object.assign(this.slider, { type: "range", min: "0", max: String(this.last), step: "1", value: "0" });
    this.slider.setAttribute("aria-label", "Step");
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    bar.append(this.slider, this.status);
    return bar;
  }

  /** Creates the table of values. */
  table() {
    const { processes, places, variables, clocks } = this.trace;
    const table = element("table", "values");
    table.append(element("caption", "", "State"));
    /**
     * @param {string} title
     * @param {string[]} names
     * @param {(state: PlayedState, i: number) => string} read
     */
    const group = (title, names, read) => {
      if (names.length === 0) return;
      const body = element("tbody");
      const head = element("tr", "group");
      const cell = element("th", "", title);
      cell.colSpan = 2;
      cell.scope = "rowgroup";
      head.append(cell);
      body.append(head);
      names.forEach((name, i) => {
        const row = element("tr");
        const label = element("th", "", name);
        label.scope = "row";
        const value = element("td");
        row.append(label, value);
        body.append(row);
        this.values.push({ row, cell: value, read: (state) => read(state, i) });
      });
      table.append(body);
    };
    const isTimed = this.trace.states.some((state) => state.time !== null);
    if (isTimed) {
      group("Time", ["time", "then a delay of"], (state, i) => (i === 0 ? state.time : state.delay) ?? "unknown");
    }
    const locationOf = (/** @type {PlayedState} */ state, /** @type {number} */ i) =>
      processes[i].locations[state.locations[i]] ?? "";
    group("Locations", processes.map((process) => process.name), locationOf);
    group("Tokens", places, (state, i) => String(state.tokens[i]));
    group("Variables that change", variables, (state, i) => state.values[i]);
    if (isTimed) {
      group("Clocks", clocks, (state, i) => {
        const pair = state.clocks[i];
        if (!pair) return "\u2013";
        return pair[0] === pair[1] ? pair[0] : `${pair[0]} \u2192 ${pair[1]}`;
      });
    }
    return table;
  }

  /**
   * Creates a drawing for each process, or one of the net.
   * @param {FindDrawing} findDrawing
   */
  views(findDrawing) {
    const { processes, states } = this.trace;
    const views = element("div", "views");
    // Whoever uses the keyboard can scroll what has a tab stop.
    views.tabIndex = 0;
    views.setAttribute("role", "group");
    views.setAttribute("aria-label", "Drawings with what is active");
    /**
     * @param {number | null} template
     * @param {number | null} process
     * @param {string} name
     */
    const add = (template, process, name) => {
      const found = findDrawing(template);
      if (!found) return;
      const svg = /** @type {SVGSVGElement} */ (found.cloneNode(true));
      svg.setAttribute("aria-label", name);
      const view = element("figure", "view");
      view.append(element("figcaption", "", name), svg);
      views.append(view);
      this.drawings.push({ svg, process });
    };
    if (processes.length === 0) {
      add(null, null, "Net");
      return views;
    }
    // Those that move come first where there are too many.
    const moving = new Set(states.flatMap((state) => state.edges.map(([process]) => process)));
    const all = processes.map((_, i) => i);
    const order = [...all.filter((i) => moving.has(i)), ...all.filter((i) => !moving.has(i))];
    const shown = new Set(order.slice(0, MAX_DRAWINGS));
    for (const i of all.filter((i) => shown.has(i))) add(processes[i].template, i, processes[i].name);
    return views;
  }

  /**
   * Marks the step in a picture, and scrolls the picture, but not the page, to it.
   * @param {HTMLElement} picture
   */
  point(picture) {
    picture.querySelector(".current")?.classList.remove("current");
    const group = picture.querySelector(`[data-step="${this.step}"]`);
    if (!group) return;
    group.classList.add("current");
    const [outer, inner] = [picture.getBoundingClientRect(), group.getBoundingClientRect()];
    const isLow = inner.height < outer.height;
    if (isLow && (inner.top < outer.top || inner.bottom > outer.bottom)) {
      picture.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
    }
    const isNarrow = inner.width < outer.width;
    if (isNarrow && (inner.left < outer.left || inner.right > outer.right)) {
      picture.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
    }
  }
}

/**
 * Marks what is active in a drawing of a process, or of the net.
 * @param {{svg: SVGSVGElement, process: number | null}} drawing
 * @param {{locations: number[], tokens: number[], edges: [number, number[]][], transition: number | null}} state
 */
export function mark({ svg, process }, state) {
  for (const marked of svg.querySelectorAll(".active, .taken")) marked.classList.remove("active", "taken");
  if (process === null) {
    state.tokens.forEach((tokens, place) => setTokens(svg.querySelector(`[data-place="${place}"]`), tokens));
    svg.querySelector(`[data-transition="${state.transition}"]`)?.classList.add("taken");
    return;
  }
  svg.querySelector(`[data-location="${state.locations[process]}"]`)?.classList.add("active");
  for (const [mover, edges] of state.edges) {
    if (mover !== process) continue;
    for (const edge of edges) svg.querySelector(`[data-edge="${edge}"]`)?.classList.add("taken");
  }
}

/**
 * Shows tokens in a place.
 * @param {Element | null} place
 * @param {number} tokens
 */
function setTokens(place, tokens) {
  const circle = place?.querySelector("circle");
  if (!place || !circle) return;
  for (const old of [...place.children]) {
    if (old !== circle && old.localName !== "title") old.remove();
  }
  const [x, y] = [circle.getAttribute("cx") ?? "0", circle.getAttribute("cy") ?? "0"];
  if (tokens === 1) {
    const dot = document.createElementNS(SVG, "circle");
    for (const [name, value] of [["cx", x], ["cy", y], ["r", "4"], ["fill", "#202124"]]) dot.setAttribute(name, value);
    place.append(dot);
  } else if (tokens > 1) {
    const text = document.createElementNS(SVG, "text");
    const attributes = [["x", x], ["y", String(Number(y) + 4)], ["font-size", "11"], ["text-anchor", "middle"]];
    for (const [name, value] of [...attributes, ["fill", "#202124"]]) text.setAttribute(name, value);
    text.textContent = String(tokens);
    place.append(text);
  }
}
