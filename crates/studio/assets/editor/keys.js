// @ts-check
// The keys of the drawing, in one table: what they do, and what the help says.

import { element } from "../dom.js";

/** @typedef {import("../editor.js").Editor} Editor */

/**
 * @typedef {Object} Shortcut
 * @property {string[]} keys as `event.key`, with `Ctrl+` or `Shift+` in front where they matter
 * @property {string} shown
 * @property {string} what
 * @property {(editor: Editor, event: KeyboardEvent) => boolean|void} run returns `false` to leave the key to the browser
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {Shortcut[]} */
export const SHORTCUTS = [
  { keys: ["Tab"], shown: "Tab", what: "Next node or edge", run: (e) => e.step(1) },
  { keys: ["Shift+Tab"], shown: "Shift+Tab", what: "The one before", run: (e) => e.step(-1) },
  { keys: ["."], shown: ".", what: "Next label or nail of the selected element", run: (e) => e.stepWithin() },
  { keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], shown: "Arrows", what: "Move what is selected by a step of the grid; move the view if nothing is", run: (e, event) => e.nudge(ARROWS[event.key], false) },
  { keys: ["Shift+ArrowLeft", "Shift+ArrowRight", "Shift+ArrowUp", "Shift+ArrowDown"], shown: "Shift+Arrows", what: "Move by one unit", run: (e, event) => e.nudge(ARROWS[event.key], true) },
  { keys: ["Enter", "F2"], shown: "Enter, F2", what: "Edit the label, or name the node; end an edge that is being drawn", run: (e) => e.enter() },
  { keys: ["Delete", "Backspace"], shown: "Delete", what: "Delete what is selected", run: (e) => void e.remove() },
  { keys: ["l", "Insert"], shown: "L", what: "Add locations", run: (e, event) => e.useTool(e.isNet ? "place" : "location", event) },
  { keys: ["p"], shown: "P", what: "Add places of a net", run: (e, event) => (e.isNet ? e.useTool("place", event) : false) },
  { keys: ["t"], shown: "T", what: "Add transitions of a net", run: (e, event) => (e.isNet ? e.useTool("transition", event) : false) },
  { keys: ["e"], shown: "E", what: "Draw an edge or an arc, from the selected node if there is one; Enter ends it", run: (e, event) => e.useTool("edge", event) },
  { keys: ["b"], shown: "B", what: "Add branchpoints", run: (e, event) => (e.isNet ? false : e.useTool("branchpoint", event)) },
  { keys: ["v"], shown: "V", what: "Select", run: (e) => e.setTool("select") },
  { keys: ["n"], shown: "N", what: "Bend the selected edge by another nail", run: (e) => e.addNail() },
  { keys: ["i"], shown: "I", what: "Make the selected location initial", run: (e) => e.toggle("initial") },
  { keys: ["u"], shown: "U", what: "Make it urgent, or not", run: (e) => e.toggle("urgent") },
  { keys: ["c"], shown: "C", what: "Make it committed, or not", run: (e) => e.toggle("committed") },
  { keys: ["Ctrl+a"], shown: "Ctrl+A", what: "Select everything", run: (e) => e.selectAll() },
  { keys: ["+", "="], shown: "+", what: "Zoom in", run: (e) => e.canvas.zoom(1.25) },
  { keys: ["-"], shown: "−", what: "Zoom out", run: (e) => e.canvas.zoom(0.8) },
  { keys: ["f", "0"], shown: "F", what: "Show the whole drawing", run: (e) => e.canvas.fit() },
  { keys: ["g"], shown: "G", what: "Snap to the grid, or not", run: (e) => e.setSnaps(!e.snaps) },
  { keys: ["PageDown"], shown: "Page down", what: "Next template", run: (e) => e.chooseTemplate(e.template + 1) },
  { keys: ["PageUp"], shown: "Page up", what: "Template before", run: (e) => e.chooseTemplate(e.template - 1) },
  { keys: ["Escape"], shown: "Escape", what: "Give up what has begun; select nothing", run: (e) => e.escape() },
  { keys: ["?"], shown: "?", what: "This list", run: (e) => e.help.togglePopover() },
];

/** What the pointer does, for the list. */
const POINTER = [
  ["Double-click", "Add a location or a place; edit a label"],
  ["Drag a line", "Bend it by a nail"],
  ["Shift+click", "Select one more"],
  ["Alt+drag, middle button", "Move the view"],
  ["Wheel", "Zoom; with Shift, or on a touchpad, move the view"],
];

/** Runs the shortcut of a key, if there is one. @param {Editor} editor @param {KeyboardEvent} event */
export function runKey(editor, event) {
  if (event.altKey) return;
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && event.key.length > 1 ? "Shift+" : "";
  const found = SHORTCUTS.find((shortcut) => shortcut.keys.includes(ctrl + shift + name));
  if (!found || found.run(editor, event) === false) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Makes the list of all keys. */
export function helpPopover() {
  const row = (/** @type {string} */ shown, /** @type {string} */ what) =>
    element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, shown)), element("td", {}, what));
  return element("div", { id: "editor-help", popover: "auto", class: "keys", role: "dialog", "aria-label": "Keys of the editor" },
    element("h2", {}, "Keys"), element("table", {}, element("tbody", {}, ...SHORTCUTS.map((s) => row(s.shown, s.what)))),
    element("h2", {}, "Pointer"), element("table", {}, element("tbody", {}, ...POINTER.map(([shown, what]) => row(shown, what)))));
}
