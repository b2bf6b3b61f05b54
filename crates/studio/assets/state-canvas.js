// @ts-check
// Draws thousands of states: pan, zoom, selection, keys. Text appears when there is room for it.

import { element } from "./dom.js";

/** @typedef {import("./states.js").DrawnSpace} DrawnSpace */

/** The distance of states, and the size of their boxes, before zooming. */
const CELL = { w: 176, h: 118 };
const BOX = { w: 152, h: 70 };
/** Boxes narrower than this are dots, and narrower than that have no text. */
const DOT = 12;
const TEXT = 92;
/** The most lines in a box. */
const LINES = 4;

/** A canvas with a state space. */
export class StateCanvas {
  /**
   * @param {{select: (state: number) => void, load: (state: number) => void, search: () => void, next: (step: number) => void}} actions
   */
  constructor(actions) {
    this.actions = actions;
    /** @type {DrawnSpace|null} */
    this.space = null;
    /** @type {number|null} */
    this.selected = null;
    /** @type {Set<number>} */
    this.hits = new Set();
    this.at = { x: 0, y: 0, scale: 1 };
    /** Where the states are before zooming. @type {{x: number[], y: number[]}} */
    this.place = { x: [], y: [] };
    /** The size of the canvas on the page. @type {{w: number, h: number}|null} */
    this.size = null;
    /** The size of the whole picture before zooming. */
    this.extent = { w: 0, h: 0 };
    /** Whether the reader has moved or zoomed the picture. */
    this.isMoved = false;
    /** @type {number[][]} The states of each layer, from left to right. */
    this.layers = [];
    /** @type {Record<string, string>} */
    this.colors = {};
    this.frame = 0;
    this.canvas = element("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": "state space",
      "aria-label": "State space. Arrow keys go from state to state, Enter loads one into the simulator, plus and minus zoom, f shows everything.",
    });
    this.live = element("p", { class: "hidden-text", "aria-live": "polite" });
    this.root = element("div", { class: "canvas" }, this.canvas, this.live);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.root);
    const themes = () => {
      this.colors = {};
      this.draw();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themes);
    new MutationObserver(themes).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  }

  /** @param {DrawnSpace|null} space */
  show(space) {
    this.space = space;
    this.selected = null;
    this.layers = [];
    space?.y.forEach((layer, state) => (this.layers[layer] ??= []).push(state));
    for (const layer of this.layers) layer?.sort((a, b) => (space?.x[a] ?? 0) - (space?.x[b] ?? 0));
    this.isMoved = false;
    this.resize();
    this.fit();
  }

  /**
   * Places the states. The states of a wide layer are in several rows, as many as make the picture fill the canvas.
   * @param {DrawnSpace} space
   * @param {{w: number, h: number}} size
   */
  arrange(space, size) {
    const width = Math.max(...space.x) + 1;
    const rowsOf = (/** @type {number} */ rows) => this.layers.reduce((sum, layer) => sum + Math.min(rows, layer?.length ?? 1), 0);
    let [rows, best] = [1, 0];
    for (let tried = 1; tried <= 16; tried += 1) {
      const scale = Math.min(size.w / (((width - 1) / tried + 1) * CELL.w), size.h / (rowsOf(tried) * CELL.h));
      if (scale > best * 1.02) [rows, best] = [tried, scale];
    }
    this.place = { x: space.x.map((x) => (x / rows) * CELL.w), y: space.y.map(() => 0) };
    let top = 0;
    for (const layer of this.layers) {
      const own = Math.min(rows, layer?.length ?? 1);
      layer?.forEach((state, i) => {
        this.place.y[state] = (top + (i % own)) * CELL.h;
      });
      top += own;
    }
    this.extent = { w: ((width - 1) / rows) * CELL.w, h: Math.max(0, top - 1) * CELL.h };
  }

  /** @param {number[]} hits */
  mark(hits) {
    this.hits = new Set(hits);
    this.draw();
  }

  /** Takes the size of the element. */
  resize() {
    const { clientWidth, clientHeight } = this.root;
    const ratio = window.devicePixelRatio || 1;
    if (!clientWidth || !clientHeight) return;
    this.size = { w: clientWidth, h: clientHeight };
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    if (this.isMoved) this.draw();
    else this.fit();
  }

  /** Shows everything. */
  fit() {
    const { space, size } = this;
    if (!space || !size || space.x.length === 0) return this.draw();
    this.arrange(space, size);
    const { w, h } = this.extent;
    const scale = Math.min((size.w - 24) / (w + BOX.w), (size.h - 24) / (h + BOX.h), 1.1);
    this.at = { scale, x: (size.w - w * scale) / 2, y: (size.h - h * scale) / 2 };
    this.isMoved = false;
    this.draw();
  }

  /**
   * Zooms, with a point that stays where it is.
   * @param {number} factor
   * @param {{x: number, y: number}} [around]
   */
  zoom(factor, around) {
    if (!this.size) return;
    const chosen = this.selected === null ? null : this.point(this.selected);
    const isVisible = chosen && chosen.x > 0 && chosen.x < this.size.w && chosen.y > 0 && chosen.y < this.size.h;
    const middle = around ?? (isVisible ? chosen : { x: this.size.w / 2, y: this.size.h / 2 });
    this.isMoved = true;
    const scale = Math.min(4, Math.max(0.002, this.at.scale * factor));
    const by = scale / this.at.scale;
    this.at = { scale, x: middle.x - (middle.x - this.at.x) * by, y: middle.y - (middle.y - this.at.y) * by };
    this.draw();
  }

  /** Returns the middle of a state in the window of the canvas. @param {number} state */
  point(state) {
    const { x, y, scale } = this.at;
    return { x: x + this.place.x[state] * scale, y: y + this.place.y[state] * scale };
  }

  /** Selects a state, and moves it into view. @param {number} state */
  choose(state) {
    if (!this.space || !this.size) return;
    this.selected = state;
    const at = this.point(state);
    const margin = 12;
    this.isMoved ||= at.x < margin || at.x > this.size.w - margin || at.y < margin || at.y > this.size.h - margin;
    if (at.x < margin || at.x > this.size.w - margin) this.at.x += this.size.w / 2 - at.x;
    if (at.y < margin || at.y > this.size.h - margin) this.at.y += this.size.h / 2 - at.y;
    this.live.textContent = `State ${state}: ${this.space.text[state].replaceAll("\n", "; ")}`;
    this.draw();
    this.actions.select(state);
  }

  /** Returns the state at a point. @param {{x: number, y: number}} point */
  find(point) {
    const { space } = this;
    if (!space) return null;
    const { scale } = this.at;
    const reach = { w: Math.max(BOX.w * scale, 14) / 2, h: Math.max(BOX.h * scale, 14) / 2 };
    let [best, least] = [/** @type {number|null} */ (null), Infinity];
    for (let state = 0; state < space.x.length; state += 1) {
      const at = this.point(state);
      const [far, high] = [Math.abs(at.x - point.x), Math.abs(at.y - point.y)];
      if (far <= reach.w && high <= reach.h && far + high < least) [best, least] = [state, far + high];
    }
    return best;
  }

  listen() {
    const { canvas } = this;
    /** @type {Map<number, {x: number, y: number}>} */
    const pointers = new Map();
    let moved = false;
    const place = (/** @type {MouseEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      moved = pointers.size > 1;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      const now = place(event);
      if (!before) {
        const state = this.find(now);
        canvas.style.cursor = state === null ? "grab" : "pointer";
        canvas.title = state === null ? "" : (this.space?.text[state] ?? "");
        return;
      }
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const distance = (/** @type {{x: number, y: number}} */ a) => Math.hypot(a.x - other.x, a.y - other.y);
        this.zoom(distance(now) / Math.max(1, distance(before)), other);
      } else if (moved || Math.hypot(now.x - before.x, now.y - before.y) > 3) {
        moved = this.isMoved = true;
        this.at.x += now.x - before.x;
        this.at.y += now.y - before.y;
        this.draw();
      }
      if (moved) pointers.set(event.pointerId, now);
    });
    const end = (/** @type {PointerEvent} */ event) => {
      pointers.delete(event.pointerId);
      if (moved || event.type === "pointercancel") return;
      const state = this.find(place(event));
      if (state !== null) this.choose(state);
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("dblclick", (event) => {
      const state = this.find(place(event));
      if (state !== null) this.actions.load(state);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), place(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const state = this.selected;
    /** @type {Record<string, () => void>} */
    const keys = {
      "+": () => this.zoom(1.4),
      "=": () => this.zoom(1.4),
      "-": () => this.zoom(1 / 1.4),
      f: () => this.fit(),
      0: () => this.fit(),
      "/": () => this.actions.search(),
      n: () => this.actions.next(1),
      N: () => this.actions.next(-1),
      Home: () => this.choose(this.space?.initial[0] ?? 0),
      Enter: () => state !== null && this.actions.load(state),
      ArrowDown: () => this.follow(0, 1, 1),
      ArrowUp: () => this.follow(1, 0, -1),
      ArrowLeft: () => this.beside(-1),
      ArrowRight: () => this.beside(1),
    };
    const run = keys[event.key];
    if (!run || !this.space) return;
    event.preventDefault();
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      const [dx, dy] = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] }[event.key] ?? [0, 0];
      this.at.x += dx;
      this.at.y += dy;
      this.isMoved = true;
      return this.draw();
    }
    run();
  }

  /**
   * Goes along an arc to another layer, or to the nearest state there.
   * @param {number} own @param {number} other @param {number} down
   */
  follow(own, other, down) {
    const { space, selected } = this;
    if (!space) return;
    if (selected === null) return this.choose(space.initial[0] ?? 0);
    const layer = space.y[selected] + down;
    const arc = space.arcs.find((each) => each[own] === selected && space.y[each[other]] === layer);
    if (arc) return this.choose(arc[other]);
    const near = (this.layers[layer] ?? []).reduce((/** @type {number|null} */ best, state) =>
      best === null || Math.abs(space.x[state] - space.x[selected]) < Math.abs(space.x[best] - space.x[selected]) ? state : best, null);
    if (near !== null) this.choose(near);
  }

  /** Goes to the neighbour in the layer. @param {number} step */
  beside(step) {
    const { space, selected } = this;
    if (!space || selected === null) return;
    const layer = this.layers[space.y[selected]];
    const next = layer[layer.indexOf(selected) + step];
    if (next !== undefined) this.choose(next);
  }

  /** Draws soon. */
  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** Returns a colour of the pictures. @param {string} name */
  color(name) {
    return (this.colors[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--merkhet-${name}`).trim() || "#888");
  }

  paint() {
    const { context, space, size } = this;
    if (!size) return;
    const ratio = this.canvas.width / size.w;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.color("paper");
    context.fillRect(0, 0, size.w, size.h);
    if (!space) return;
    this.paintArcs(space, size);
    const { scale } = this.at;
    const box = { w: BOX.w * scale, h: BOX.h * scale };
    for (let state = 0; state < space.x.length; state += 1) {
      const at = this.point(state);
      const isVisible = at.x > -box.w && at.x < size.w + box.w && at.y > -box.h && at.y < size.h + box.h;
      if (isVisible) this.paintState(space, state, at, box);
    }
  }

  /**
   * @param {DrawnSpace} space
   * @param {{w: number, h: number}} size
   */
  paintArcs(space, size) {
    const { context, selected } = this;
    const { scale } = this.at;
    const half = (BOX.h / 2) * scale;
    const styles = [["line", 1.2, []], ["line", 2.4, []], ["soft", 1, [5, 4]], ["faint", 1, [2, 3]]];
    const few = space.arcs.length < 4000 || scale > 0.15;
    styles.forEach(([color, width, dashes], kind) => {
      for (const isOwn of [false, true]) {
        context.beginPath();
        context.setLineDash(scale > 0.08 ? /** @type {number[]} */ (dashes) : []);
        context.strokeStyle = this.color(isOwn ? "label" : String(color));
        context.globalAlpha = isOwn || few ? 1 : 0.35;
        context.lineWidth = Number(width) * (isOwn ? 1.5 : Math.min(1, Math.max(0.35, scale * 1.6)));
        let has = false;
        for (const [from, to, of] of space.arcs) {
          if (of !== kind || (from === selected || to === selected) !== isOwn) continue;
          const [a, b] = [this.point(from), this.point(to)];
          if (Math.max(a.x, b.x) < -60 || Math.min(a.x, b.x) > size.w + 60 || Math.max(a.y, b.y) < -60 || Math.min(a.y, b.y) > size.h + 60) continue;
          has = true;
          this.trace(a, b, half, scale);
        }
        if (has) context.stroke();
      }
    });
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /**
   * Adds the line of an arc to the path.
   * @param {{x: number, y: number}} a @param {{x: number, y: number}} b @param {number} half @param {number} scale
   */
  trace(a, b, half, scale) {
    const { context } = this;
    const side = (BOX.w / 2) * scale;
    if (a.x === b.x && a.y === b.y) {
      const r = 12 * scale;
      context.moveTo(a.x + side + r, a.y);
      context.arc(a.x + side, a.y, r, 0, 2 * Math.PI);
      return;
    }
    if (b.y > a.y) {
      context.moveTo(a.x, a.y + half);
      const tip = b.y - half;
      context.bezierCurveTo(a.x, (a.y + half + tip) / 2, b.x, (a.y + half + tip) / 2, b.x, tip);
      this.head(b.x, tip, 1, scale);
      return;
    }
    // Arcs that go up or stay in the layer leave and arrive at the sides.
    const left = b.x < a.x;
    const [from, to] = [a.x + (left ? -side : side), b.x + (left ? side : -side)];
    const far = (24 + Math.min(80, (a.y - b.y) / Math.max(scale, 0.01) / 8)) * scale * (left ? -1 : 1);
    context.moveTo(from, a.y);
    context.bezierCurveTo(from + far, a.y, to - far, b.y, to, b.y);
    this.head(to, b.y, left ? -2 : 2, scale);
  }

  /**
   * Adds an arrow head.
   * @param {number} x @param {number} y @param {number} direction 1 down, 2 to the right, -2 to the left
   * @param {number} scale
   */
  head(x, y, direction, scale) {
    const size = 7 * scale;
    if (size < 2) return;
    const { context } = this;
    if (direction === 1) {
      context.moveTo(x - size * 0.6, y - size);
      context.lineTo(x, y);
      context.lineTo(x + size * 0.6, y - size);
      return;
    }
    const back = direction > 0 ? -size : size;
    context.moveTo(x + back, y - size * 0.6);
    context.lineTo(x, y);
    context.lineTo(x + back, y + size * 0.6);
  }

  /**
   * @param {DrawnSpace} space @param {number} state
   * @param {{x: number, y: number}} at @param {{w: number, h: number}} box
   */
  paintState(space, state, at, box) {
    const { context } = this;
    const mark = space.mark?.[state] ?? 0;
    const isInitial = space.initial.includes(state);
    const fill = mark === 2 ? "active" : mark === 1 ? "tint-1" : isInitial ? "location" : "paper";
    const stroke = state === this.selected ? "label" : this.hits.has(state) ? "sync" : mark ? "active-line" : space.style[state] === 2 ? "faint" : "line";
    context.fillStyle = this.color(fill);
    context.strokeStyle = this.color(stroke);
    context.setLineDash(mark === 1 && box.w >= DOT ? [4, 3] : []);
    if (box.w < DOT) {
      const r = Math.max(1.6, Math.min(5, box.w / 2)) * (state === this.selected || this.hits.has(state) ? 1.7 : 1);
      context.fillStyle = this.color(mark || state === this.selected || this.hits.has(state) ? stroke : isInitial ? "label" : "soft");
      context.beginPath();
      context.arc(at.x, at.y, r, 0, 2 * Math.PI);
      context.fill();
      return;
    }
    const isStrong = state === this.selected || this.hits.has(state);
    context.lineWidth = isStrong ? 3 : space.style[state] === 1 ? 2.4 : 1.2;
    context.beginPath();
    context.roundRect(at.x - box.w / 2, at.y - box.h / 2, box.w, box.h, Math.min(6, box.h / 5));
    context.fill();
    context.stroke();
    context.setLineDash([]);
    if (box.w < TEXT) return;
    const size = Math.min(13, Math.max(8, box.w / 13));
    context.font = `${size}px "DejaVu Sans", Verdana, sans-serif`;
    context.fillStyle = this.color(space.style[state] === 2 ? "soft" : "ink");
    context.textBaseline = "middle";
    const lines = this.lines(space.text[state], box.w - 10, Math.min(LINES, Math.max(1, Math.floor((box.h - 6) / (size * 1.3)))));
    const top = at.y - ((lines.length - 1) * size * 1.3) / 2;
    lines.forEach((line, i) => context.fillText(line, at.x - box.w / 2 + 6, top + i * size * 1.3));
  }

  /**
   * Breaks a text at its commas, and shortens what does not fit.
   * @param {string} text @param {number} width @param {number} most
   */
  lines(text, width, most) {
    const { context } = this;
    /** @type {string[]} */
    const lines = [];
    for (const line of text.split("\n")) {
      let left = "";
      for (const word of line.split(", ")) {
        const longer = left ? `${left}, ${word}` : word;
        if (left && context.measureText(longer).width > width) {
          lines.push(`${left},`);
          left = word;
        } else left = longer;
      }
      lines.push(left);
    }
    const shown = lines.slice(0, most);
    if (lines.length > most) shown[most - 1] += " …";
    return shown.map((line) => {
      if (context.measureText(line).width <= width) return line;
      let end = line.length;
      while (end > 1 && context.measureText(`${line.slice(0, end)}…`).width > width) end -= 1;
      return `${line.slice(0, end)}…`;
    });
  }
}
