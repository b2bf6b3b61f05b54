// @ts-check
// The surface on which a drawing lies: what is shown of it, and what the pointer does.

import { svg } from "../dom.js";
import { isNode, nodeKeys } from "./model.js";
import { boxOf, contains, minus, nearestSegment, plus, times } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {import("./geometry.js").Box} Box */
/** @typedef {import("./model.js").Key} Key */
/** @typedef {import("./scene.js").Scene} Scene */

/** The distance of the lines of the grid, as in UPPAAL. */
export const GRID = 17;
/** How far a pressed pointer moves before it drags, in pixels. */
const SLACK = 3;
const [SMALLEST, LARGEST] = [0.1, 6];

/**
 * What the editor does for the canvas.
 * @typedef {Object} Host
 * @property {Scene} scene
 * @property {Set<Key>} selection
 * @property {string} tool `select`, `edge`, or the kind of node that is added
 * @property {boolean} snaps
 * @property {(keys: Iterable<Key>) => void} select
 * @property {(keys: Iterable<Key>, by: Point) => void} drag
 * @property {() => void} drop
 * @property {() => void} cancel
 * @property {(at: Point) => void} add adds what the tool adds
 * @property {(source: Key, target: Key, nails: Point[]) => void} connect
 * @property {(key: Key) => void} open begins to edit a label
 * @property {(edge: number, segment: number, at: Point) => void} bend
 * @property {() => void} seen what is shown of the drawing has changed
 */

export class Canvas {
  /** @param {SVGSVGElement} root @param {SVGElement} world @param {Host} host */
  constructor(root, world, host) {
    this.root = root;
    this.world = world;
    this.host = host;
    /** @type {Point} */
    this.origin = [40, 40];
    this.scale = 1;
    this.overlay = svg("g", { class: "overlay" });
    root.append(this.overlay);
    /** @type {{kind: string, start: Point, pointer: number, keys: Set<Key>, edge?: [number, number], moves: boolean}|null} */
    this.press = null;
    /** @type {{source: Key, nails: Point[]}|null} An edge that is being drawn. */
    this.pending = null;
    this.frame = 0;
    /** Whether the whole drawing is shown, and nobody has chosen another view of it. */
    this.isFitted = false;
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", (event) => this.up(event));
    root.addEventListener("pointercancel", () => this.cancel());
    root.addEventListener("dblclick", (event) => this.double(event));
    root.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** Shows the drawing as `origin` and `scale` say, with the next picture of the screen. */
  show() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const transform = `translate(${this.origin[0]} ${this.origin[1]}) scale(${this.scale})`;
      this.world.setAttribute("transform", transform);
      this.overlay.setAttribute("transform", transform);
      const grid = this.root.querySelector("pattern");
      grid?.setAttribute("patternTransform", transform);
      this.root.classList.toggle("far", this.scale < 0.45);
      this.host.seen();
    });
  }

  /** @param {{clientX: number, clientY: number}} event @returns {Point} */
  pixel(event) {
    const { left, top } = this.root.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  /** Returns the point of the drawing at a pixel. @param {Point} pixel @returns {Point} */
  point(pixel) {
    return times(minus(pixel, this.origin), 1 / this.scale);
  }

  /** Returns the pixel of a point. @param {Point} point @returns {Point} */
  where(point) {
    return plus(times(point, this.scale), this.origin);
  }

  /** @param {Point} point @returns {Point} */
  snapped(point) {
    const step = this.host.snaps ? GRID : 1;
    return [Math.round(point[0] / step) * step, Math.round(point[1] / step) * step];
  }

  /** @param {number} factor @param {Point} [pixel] what stays where it is */
  zoom(factor, pixel = [this.root.clientWidth / 2, this.root.clientHeight / 2]) {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.origin = minus(pixel, times(minus(pixel, this.origin), scale / this.scale));
    this.scale = scale;
    this.isFitted = false;
    this.show();
  }

  /** @param {Point} by */
  pan(by) {
    this.origin = plus(this.origin, by);
    this.isFitted = false;
    this.show();
  }

  /** Shows the whole drawing. */
  fit() {
    const box = this.host.scene.bounds();
    const [width, height] = [this.root.clientWidth, this.root.clientHeight];
    if (!box || !width || !height) return;
    const margin = 36;
    const room = [box.right - box.left + 2 * margin, box.bottom - box.top + 2 * margin];
    this.scale = Math.min(1.25, Math.max(SMALLEST, Math.min(width / room[0], height / room[1])));
    this.origin = [
      (width - (box.left + box.right) * this.scale) / 2,
      (height - (box.top + box.bottom) * this.scale) / 2,
    ];
    this.isFitted = true;
    this.show();
  }

  /** Pans so that an element is seen. @param {Element} element */
  reveal(element) {
    const [view, box] = [this.root.getBoundingClientRect(), element.getBoundingClientRect()];
    const need = (/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ from, /** @type {number} */ to) =>
      low < from ? from - low + 30 : high > to ? to - high - 30 : 0;
    const by = /** @type {Point} */ ([need(box.left, box.right, view.left, view.right), need(box.top, box.bottom, view.top, view.bottom)]);
    if (by[0] || by[1]) this.pan(by);
  }

  /** @param {EventTarget|null} target @returns {Key|null} */
  keyAt(target) {
    return /** @type {Element} */ (target)?.closest?.("[data-key]")?.getAttribute("data-key") ?? null;
  }

  /** @param {PointerEvent} event @returns {Key|null} the node there */
  nodeAt(event) {
    const key = this.keyAt(document.elementFromPoint(event.clientX, event.clientY));
    return key && isNode(key) ? key : null;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (this.press || event.button > 1) return;
    this.root.focus({ preventScroll: true });
    const { host } = this;
    const [pixel, key] = [this.pixel(event), this.keyAt(event.target)];
    this.root.setPointerCapture(event.pointerId);
    /** @param {string} kind @param {Iterable<Key>} [keys] */
    const press = (kind, keys = []) => {
      this.press = { kind, start: pixel, pointer: event.pointerId, keys: new Set(keys), moves: false };
      return this.press;
    };
    if (event.button === 1 || (event.button === 0 && event.getModifierState("Alt") && host.tool === "select")) {
      press("pan");
      event.preventDefault();
    } else if (host.tool === "edge" || this.pending) {
      const node = this.nodeAt(event);
      if (node && !this.pending) this.begin(node);
      else if (node) this.finish(node);
      else this.pending?.nails.push(this.snapped(this.point(pixel)));
      press("edge");
    } else if (host.tool !== "select") {
      press("add");
    } else if (key) {
      const many = event.shiftKey || event.ctrlKey || event.metaKey;
      const chosen = new Set(host.selection);
      if (many && chosen.has(key)) chosen.delete(key);
      else if (many) chosen.add(key);
      if (many) host.select(chosen);
      else if (!chosen.has(key)) host.select([key]);
      const pressed = press("drag", host.selection);
      const only = host.selection.size === 1 && key.startsWith("edge:");
      if (only) pressed.edge = [Number(key.slice(5)), nearestSegment(this.path(key), this.point(pixel))];
    } else {
      const many = event.shiftKey || event.ctrlKey || event.metaKey;
      press(event.pointerType === "touch" ? "pan" : "band", many ? host.selection : []);
      if (!many) host.select([]);
    }
  }

  /** @param {Key} key */
  path(key) {
    return /** @type {import("./model.js").Positions} */ (this.host.scene.positions).path(Number(key.slice(5)));
  }

  /** @param {PointerEvent} event */
  move(event) {
    const pixel = this.pixel(event);
    if (this.pending) this.drawPending(this.point(pixel));
    const { press, host } = this;
    if (!press || press.pointer !== event.pointerId) return;
    const by = minus(pixel, press.start);
    if (!press.moves && Math.hypot(...by) < SLACK) return;
    if (!press.moves) {
      press.moves = true;
      if (press.edge) {
        // A line that is dragged bends there.
        const [edge, segment] = press.edge;
        host.bend(edge, segment, this.point(press.start));
        press.keys = new Set(host.selection);
      }
    }
    if (press.kind === "pan") {
      press.start = pixel;
      this.pan(by);
    } else if (press.kind === "drag") {
      host.drag(press.keys, this.snappedBy(times(by, 1 / this.scale)));
    } else if (press.kind === "band") {
      const box = boxOf(this.point(press.start), this.point(pixel));
      this.drawBand(box);
      host.select([...press.keys, ...this.inside(box)]);
    }
  }

  /** @param {Point} by @returns {Point} */
  snappedBy(by) {
    const step = this.host.snaps ? GRID : 1;
    return [Math.round(by[0] / step) * step, Math.round(by[1] / step) * step];
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { press, host } = this;
    if (!press || press.pointer !== event.pointerId) return;
    this.press = null;
    if (press.kind === "add") host.add(this.snapped(this.point(this.pixel(event))));
    else if (press.kind === "drag" && press.moves) host.drop();
    else if (press.kind === "band") this.drawBand(null);
    else if (press.kind === "edge" && press.moves) {
      // Drawn with the button held down.
      const node = this.nodeAt(event);
      if (node && this.pending && (node !== this.pending.source || this.pending.nails.length)) this.finish(node);
    }
  }

  /** @param {MouseEvent} event */
  double(event) {
    const { host } = this;
    if (host.tool !== "select" || this.pending) return;
    const [key, at] = [this.keyAt(event.target), this.point(this.pixel(event))];
    if (!key) host.add(this.snapped(at));
    else host.open(key);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.ctrlKey || event.metaKey || !event.shiftKey && event.deltaX === 0 && Math.abs(event.deltaY) * lines >= 50) {
      this.zoom(Math.exp((-event.deltaY * lines) / 500), this.pixel(event));
    } else {
      const [x, y] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      this.pan([-x * lines, -y * lines]);
    }
  }

  /** Gives up what has begun. */
  cancel() {
    if (this.press?.kind === "drag" && this.press.moves) this.host.cancel();
    this.press = null;
    this.pending = null;
    this.overlay.replaceChildren();
    this.root.classList.remove("connecting");
  }

  /** Begins an edge at a node. @param {Key} source */
  begin(source) {
    this.pending = { source, nails: [] };
    this.root.classList.add("connecting");
  }

  /** Ends an edge at a node. @param {Key} target */
  finish(target) {
    if (!this.pending) return;
    const { source, nails } = this.pending;
    this.cancel();
    this.host.connect(source, target, nails);
  }

  /** @param {Point} to */
  drawPending(to) {
    if (!this.pending) return;
    const from = /** @type {import("./model.js").Positions} */ (this.host.scene.positions).of(this.pending.source);
    const points = [from, ...this.pending.nails, to].map((p) => p.join(" ")).join("L");
    this.overlay.replaceChildren(svg("path", { d: `M${points}`, class: "pending" }));
  }

  /** @param {Box|null} box */
  drawBand(box) {
    if (!box) return this.overlay.replaceChildren();
    const { left, top, right, bottom } = box;
    this.overlay.replaceChildren(svg("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "band" }));
  }

  /** Returns the nodes within a box, and the edges that lie in it. @param {Box} box @returns {Key[]} */
  inside(box) {
    const { drawing, positions } = this.host.scene;
    if (!drawing || !positions) return [];
    const nodes = nodeKeys(drawing);
    const edges = [...drawing.edges.keys()].filter((i) => positions.path(i).every((p) => contains(box, p)));
    return [...nodes.filter((key) => contains(box, positions.of(key))), ...edges.map((i) => `edge:${i}`)];
  }
}
