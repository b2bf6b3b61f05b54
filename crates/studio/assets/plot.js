// @ts-check
// A plot of a search over time: the states that wait, for each worker, and those stored by all.

import { grouped, svg } from "./dom.js";

const WIDTH = 560;
const PANEL = 118;
const HEIGHT = 2 * PANEL + 14;
const LEFT = 64;
const GAP = 8;
const TOP = 20;
/** More points than pixels show nothing. */
const MOST = 400;
const COLOURS = ["series-1", "series-5", "series-6", "guard", "invariant", "select"];

/** The plot of one search. */
export class ProgressPlot {
  constructor() {
    /** @type {{seconds: number, stored: number, waiting: number[]}[]} */
    this.points = [];
    this.root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": "States over time" });
  }

  /** @param {number} seconds @param {any} search */
  add(seconds, search) {
    const workers = search.workers ?? [];
    const waiting = workers.length > 1 ? workers.map((/** @type {any} */ w) => w.waiting) : [search.waiting];
    this.points.push({ seconds, stored: search.stored, waiting });
    if (this.points.length > MOST) this.points = this.points.filter((_, i) => i % 2 === 0 || i === this.points.length - 1);
    this.draw();
  }

  draw() {
    const { points } = this;
    const last = points[points.length - 1];
    const right = Math.max(1, last.seconds);
    const workers = last.waiting.length;
    const colour = (/** @type {number} */ i) => COLOURS[i % COLOURS.length];
    const stored = { name: "stored", colour: "soft", value: (/** @type {any} */ p) => p.stored };
    const waiting = Array.from({ length: workers }, (_, i) => ({
      name: workers > 1 ? `waiting, worker ${i + 1}` : "waiting", colour: colour(i), value: (/** @type {any} */ p) => p.waiting[i] ?? 0,
    }));
    // Far fewer states wait than are stored, so each has a scale of its own.
    this.root.replaceChildren(...this.panel(0, right, [stored]), ...this.panel(PANEL, right, waiting),
      label("0 s", LEFT, HEIGHT - 6), label(`${right.toFixed(1)} s`, WIDTH - 12, HEIGHT - 6, "end"));
    const all = last.waiting.reduce((a, b) => a + b, 0);
    this.root.setAttribute("aria-label", `States over ${right.toFixed(1)} seconds: ${grouped(last.stored)} stored, ${grouped(all)} waiting`);
  }

  /**
   * Draws lines with their scale.
   * @param {number} from the top of the panel
   * @param {number} right the last second
   * @param {{name: string, colour: string, value: (point: any) => number}[]} series
   */
  panel(from, right, series) {
    const { points } = this;
    const top = nice(Math.max(10, ...points.flatMap((p) => series.map(({ value }) => value(p)))));
    const bottom = from + PANEL - GAP;
    const x = (/** @type {number} */ s) => LEFT + (s / right) * (WIDTH - LEFT - 12);
    const y = (/** @type {number} */ n) => bottom - (n / top) * (PANEL - GAP - TOP);
    const grid = [0, 0.5, 1].flatMap((part) => [
      svg("line", { x1: LEFT, x2: WIDTH - 12, y1: y(top * part), y2: y(top * part), class: "grid" }),
      label(grouped(top * part), LEFT - 6, y(top * part) + 4, "end"),
    ]);
    const lines = series.map(({ colour, value }) =>
      svg("polyline", { points: points.map((p) => `${x(p.seconds).toFixed(1)},${y(value(p)).toFixed(1)}`).join(" "), class: `line is-${colour}`, fill: "none", "stroke-width": 1.6 }));
    const names = series.slice(0, 4).map(({ name, colour }, i) => label(name, LEFT + 4 + i * 122, from + 13, "start", `is-${colour}`));
    return [...grid, ...lines, ...names];
  }
}

/** @param {string} text @param {number} x @param {number} y */
function label(text, x, y, anchor = "start", kind = "") {
  return svg("text", { x, y, "text-anchor": anchor, class: kind }, text);
}

/** Rounds up to one or two digits. @param {number} n */
function nice(n) {
  const unit = 10 ** Math.floor(Math.log10(n));
  return Math.ceil(n / unit) * unit;
}
