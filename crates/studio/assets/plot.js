// @ts-check
// A plot of a search over time: the states that wait, for each worker, and those stored by all.

import { grouped, svg } from "./dom.js";

const WIDTH = 560;
const HEIGHT = 170;
const LEFT = 64;
const BOTTOM = 22;
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
    const top = nice(Math.max(10, ...points.flatMap((p) => [p.stored, ...p.waiting])));
    const x = (/** @type {number} */ s) => LEFT + (s / right) * (WIDTH - LEFT - 12);
    const y = (/** @type {number} */ n) => HEIGHT - BOTTOM - (n / top) * (HEIGHT - BOTTOM - TOP);
    const line = (/** @type {(p: any) => number} */ value, /** @type {string} */ colour, width = 1.6) =>
      svg("polyline", { points: points.map((p) => `${x(p.seconds).toFixed(1)},${y(value(p)).toFixed(1)}`).join(" "), class: `line is-${colour}`, fill: "none", "stroke-width": width });
    const label = (/** @type {string} */ text, /** @type {number} */ at, /** @type {number} */ height, anchor = "start", kind = "") =>
      svg("text", { x: at, y: height, "text-anchor": anchor, class: kind }, text);
    const grid = [0, 0.5, 1].flatMap((part) => [
      svg("line", { x1: LEFT, x2: WIDTH - 12, y1: y(top * part), y2: y(top * part), class: "grid" }),
      label(grouped(top * part), LEFT - 6, y(top * part) + 4, "end"),
    ]);
    const workers = last.waiting.length;
    const series = Array.from({ length: workers }, (_, i) => line((p) => p.waiting[i] ?? 0, COLOURS[i % COLOURS.length]));
    const legend = [
      label("stored", LEFT + 4, 13, "start", "is-soft"),
      ...Array.from({ length: Math.min(workers, 8) }, (_, i) => label(workers > 1 ? `waiting ${i + 1}` : "waiting", LEFT + 62 + i * 74, 13, "start", `is-${COLOURS[i % COLOURS.length]}`)),
    ];
    this.root.replaceChildren(...grid, line((p) => p.stored, "soft", 1.2), ...series, ...legend,
      label("0 s", LEFT, HEIGHT - 6), label(`${right.toFixed(1)} s`, WIDTH - 12, HEIGHT - 6, "end"));
    this.root.setAttribute("aria-label", `States over ${right.toFixed(1)} seconds: ${grouped(last.stored)} stored, ${grouped(last.waiting.reduce((a, b) => a + b, 0))} waiting`);
  }
}

/** Rounds up to one or two digits. @param {number} n */
function nice(n) {
  const unit = 10 ** Math.floor(Math.log10(n));
  return Math.ceil(n / unit) * unit;
}
