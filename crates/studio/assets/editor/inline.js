// @ts-check
// Editing of a label where it is drawn, with what is wrong shown while it is typed.

import { button, element, later } from "../dom.js";
import { TITLES, parts } from "./model.js";

/** @typedef {import("./model.js").Key} Key */
/** @typedef {import("./model.js").DrawnLabel} DrawnLabel */
/** @typedef {import("./model.js").DrawnProblem} DrawnProblem */

/** How long nothing is typed before it is checked, in milliseconds. */
const PAUSE = 120;

/**
 * What the editor does for the field.
 * @typedef {Object} LabelHost
 * @property {(owner: Key, kind: string) => DrawnLabel|undefined} label
 * @property {(owner: Key, kind: string, text: string) => Promise<{problems: DrawnProblem[], tokens: [number, number, string][], refusal: string}>} check
 * @property {(owner: Key, kind: string, text: string) => Promise<boolean>} keep
 * @property {(owner: Key, kind: string) => [number, number]} where the pixel of the label
 * @property {(owner: Key) => string[]} kinds the labels that an element can have
 * @property {() => void} closed
 */

export class Inline {
  /** @param {HTMLElement} parent @param {LabelHost} host */
  constructor(parent, host) {
    this.parent = parent;
    this.host = host;
    /** @type {HTMLElement|null} */
    this.box = null;
    this.owner = "";
    this.kind = "";
    this.before = "";
    this.number = 0;
    this.check = later(PAUSE, () => void this.checkNow());
  }

  /** Begins to edit a label. @param {Key} owner @param {string} [kind] @param {string} [text] instead of the label's */
  open(owner, kind, text) {
    this.close(true, false);
    const kinds = this.host.kinds(owner);
    const first = kinds.find((k) => this.host.label(owner, k) && k !== "select");
    this.owner = owner;
    this.kind = kind ?? (kinds[0] === "name" ? "name" : first ?? (kinds.includes("guard") ? "guard" : kinds[0]));
    this.before = this.host.label(owner, this.kind)?.text ?? "";
    const title = TITLES[this.kind] ?? this.kind;
    const field = element("div", {
      class: `field kind-${this.kind}`, contenteditable: "plaintext-only", role: "textbox", "aria-multiline": "true", "aria-label": title,
      "aria-describedby": "inline-help inline-problems", spellcheck: "false", autocapitalize: "off", id: "inline-field",
    });
    field.textContent = text ?? this.before;
    const tabs = element("div", { class: "kinds" }, ...kinds.map((k) => button(TITLES[k] ?? k, () => this.open(owner, k), {
      "aria-pressed": String(k === this.kind), tabindex: "-1", class: this.host.label(owner, k) ? "used" : "",
    })));
    const problems = element("p", { class: "problems", id: "inline-problems", role: "status", "aria-live": "polite" });
    const help = element("p", { class: "hint", id: "inline-help" }, "Enter keeps, Escape cancels, Tab goes to the next label, Shift+Enter breaks the line.");
    this.box = element("div", { class: "inline", role: "group", "aria-label": `Label ${title}` }, tabs, field, problems, help);
    this.field = field;
    this.problems = problems;
    field.addEventListener("input", () => this.check());
    field.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focusout", (event) => {
      if (this.box && !this.box.contains(/** @type {Node|null} */ (event.relatedTarget))) this.close(true, false);
    });
    this.parent.append(this.box);
    this.place();
    field.focus({ preventScroll: true });
    getSelection()?.selectAllChildren(field);
    this.show(this.host.label(owner, this.kind)?.problems ?? []);
    if (this.kind !== "name" && this.kind !== "comments") void this.checkNow();
  }

  /** Colours the tokens of the text. @param {[number, number, string][]} tokens */
  paint(tokens) {
    const node = this.field?.firstChild;
    /** @type {Map<string, Range[]>} */
    const all = new Map();
    for (const [from, length, name] of tokens) {
      if (!(node instanceof Text) || this.field?.childNodes.length !== 1 || from + length > node.length) continue;
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, from + length);
      all.set(name, [...(all.get(name) ?? []), range]);
    }
    this.unpaint();
    for (const [name, ranges] of all) CSS.highlights.set(`label-${name}`, new Highlight(...ranges));
  }

  unpaint() {
    for (const name of [...CSS.highlights.keys()]) if (name.startsWith("label-")) CSS.highlights.delete(name);
  }

  /** Puts the field where the label is drawn, within the canvas. */
  place() {
    if (!this.box) return;
    const [x, y] = this.host.where(this.owner, this.kind);
    const { clientWidth, clientHeight } = this.parent;
    this.box.style.left = `${Math.max(4, Math.min(x - 6, clientWidth - this.box.offsetWidth - 4))}px`;
    this.box.style.top = `${Math.max(4, Math.min(y - 34, clientHeight - this.box.offsetHeight - 4))}px`;
  }

  get text() {
    return (this.field?.textContent ?? "").replace(/\u00a0/g, " ").trim();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      this.close(false);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.close(true);
    } else if (event.key === "Tab") {
      event.preventDefault();
      const kinds = this.host.kinds(this.owner);
      const next = kinds[(kinds.indexOf(this.kind) + (event.shiftKey ? kinds.length - 1 : 1)) % kinds.length];
      this.open(this.owner, next);
    }
  }

  /** Asks the server what would be wrong. */
  async checkNow() {
    if (!this.box) return;
    const number = ++this.number;
    const { problems, tokens, refusal } = await this.host.check(this.owner, this.kind, this.text);
    if (number !== this.number || !this.box) return;
    this.paint(tokens);
    this.show(refusal ? [{ is_error: true, message: refusal, from: 0, to: this.text.length }] : problems);
  }

  /** Marks what is wrong in the text, and says it below. @param {DrawnProblem[]} problems */
  show(problems) {
    if (!this.problems || !this.field) return;
    this.problems.replaceChildren(...problems.map((p) => element("span", { class: p.is_error ? "bad" : "odd" }, p.message)));
    const node = this.field.firstChild;
    const ranges = problems.flatMap((p) => {
      const size = node?.textContent?.length ?? 0;
      if (!(node instanceof Text) || size === 0) return [];
      const range = new Range();
      const from = Math.min(p.from, size - 1);
      range.setStart(node, from);
      range.setEnd(node, Math.min(size, Math.max(p.to, from + 1)));
      return [range];
    });
    CSS.highlights.set("editor-problem", new Highlight(...ranges));
    this.place();
  }

  /**
   * Ends editing.
   * @param {boolean} keep whether the text is kept
   * @param {boolean} [back] whether the focus goes back to the drawing
   */
  close(keep, back = true) {
    const { box, owner, kind, text, before } = this;
    if (!box) return;
    this.box = null;
    this.number++;
    box.remove();
    CSS.highlights.delete("editor-problem");
    this.unpaint();
    if (keep && text !== before) {
      // A text that is refused can be corrected.
      void this.host.keep(owner, kind, text).then((fine) => fine || this.open(owner, kind, text));
    }
    if (back) this.host.closed();
  }
}

/** @param {Key} key @returns {[Key, string|undefined]} the element and the label that a key names */
export function labelOf(key) {
  const [kind] = parts(key);
  if (kind !== "label") return [kind === "nail" ? `edge:${key.split(":")[1]}` : key, undefined];
  const [, owner, number, label] = key.split(":");
  return [`${owner}:${number}`, label];
}
