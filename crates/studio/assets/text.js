// @ts-check
// The text editor. The browser edits, the server knows the language: colours, diagnostics, names.

import { Refusal } from "./api.js";
import { Completion } from "./completion.js";
import { ask } from "./dialogs.js";
import { button, element, later } from "./dom.js";

/** @typedef {import("./app.js").Studio} Studio */
/** @typedef {import("./api.js").DocumentSummary} DocumentSummary */
/** @typedef {import("./api.js").Place} Place */
/** @typedef {import("./api.js").Problem} Problem */

/** The classes of tokens, which are those of `model::names` and `syntax::lexer`. */
const CLASSES = ["keyword", "number", "text", "comment", "clock", "channel", "constant", "variable", "type", "function", "template", "location"];
/** Whether the browser can paint ranges of text: older ones show it without colours. */
const PAINTS = typeof Highlight !== "undefined";
/** Typing after a longer pause is undone separately. */
const PAUSE = 1500;

/** The view "Text". */
export class Text {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.studio = studio;
    this.path = "";
    this.revision = 0;
    /** The text that the server has. */
    this.base = "";
    /** @type {Problem[]} */
    this.problems = [];
    this.group = 0;
    this.typed = 0;
    /** Whether Tab leaves the editor, as it does after Escape. */
    this.leaves = false;
    /** @type {Promise<void>} */
    this.sending = Promise.resolve();
    /** @type {Place|null} */
    this.wanted = null;
    this.isShown = false;
    /** The number of lines that are numbered. */
    this.lines = 0;

    this.list = element("div", { class: "fragments", role: "tablist", "aria-orientation": "vertical", "aria-label": "Texts" });
    this.numbers = element("pre", { class: "numbers", "aria-hidden": "true" });
    this.node = document.createTextNode("");
    this.code = element("div", {
      class: "code", contenteditable: "plaintext-only", role: "textbox", "aria-multiline": "true", "aria-label": "Text of the model",
      "aria-describedby": "text-hint", "aria-autocomplete": "list", tabindex: "0", spellcheck: "false", autocapitalize: "off", translate: "no",
    }, this.node, element("br"));
    this.hint = element("p", { id: "text-hint", class: "hint" },
      "Ctrl+Space completes a name, F12 goes to its declaration or next use, F2 renames it. Escape and then Tab leaves the text.");
    const renames = button("Rename…", () => void this.rename(), { title: "Rename what is at the caret, everywhere (F2)", "aria-keyshortcuts": "F2" });
    // The caret stays where it is.
    renames.addEventListener("mousedown", (event) => event.preventDefault());
    this.found = element("p", { class: "found", role: "status" });
    this.list_ = element("ul", { class: "problems", "aria-label": "Problems" });
    this.scroller = element("div", { class: "scroller" }, this.numbers, this.code);
    root.classList.add("text-view");
    root.append(this.list, element("div", { class: "text-main" }, this.scroller, this.found, this.list_, element("div", { class: "below" }, this.hint, renames)));

    this.completion = new Completion(this);
    this.code.addEventListener("beforeinput", (event) => this.input(event));
    this.code.addEventListener("input", () => this.edited());
    this.code.addEventListener("compositionend", () => this.edited());
    this.code.addEventListener("keydown", (event) => this.key(event));
    this.code.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey) void this.define();
    });
    this.code.addEventListener("mousemove", (event) => this.hover(event));
    document.addEventListener("selectionchange", () => this.moved());
    this.list.addEventListener("keydown", (event) => this.listKey(event));
    this.send = later(120, () => void this.flush());
    studio.flushers.push(() => this.flush());
    studio.addEventListener("session", () => this.reset());
    studio.addEventListener("document", (event) => void this.update(/** @type {CustomEvent} */ (event).detail));
    studio.addEventListener("place", (event) => void this.goTo(/** @type {CustomEvent} */ (event).detail));
  }

  shown() {
    this.isShown = true;
    if (this.studio.document) void this.update(this.studio.document);
  }

  hidden() {
    this.isShown = false;
    this.completion.close();
    void this.flush();
  }

  /** Another document was opened. */
  reset() {
    this.path = "";
    this.revision = 0;
    this.base = "";
    this.wanted = null;
    this.setText("");
  }

  get text() {
    return this.node.data;
  }

  /**
   * Shows what has changed.
   * @param {DocumentSummary} summary
   */
  async update(summary) {
    const known = summary.fragments;
    if (!known.some((fragment) => fragment.path === this.path) || this.revision === 0) this.path = known[0]?.path ?? "";
    this.list.replaceChildren(...known.map((fragment) => {
      const bad = summary.problems.filter((p) => p.at?.path === fragment.path);
      const mark = bad.some((p) => p.severity === "error") ? "bad" : bad.length ? "odd" : "";
      const isShown = fragment.path === this.path;
      return button(fragment.name, () => void this.select(fragment.path), {
        role: "tab", class: mark, "aria-selected": String(isShown), tabindex: isShown ? "0" : "-1", "data-path": fragment.path,
        title: bad.length ? `${fragment.name}: ${bad.length} problems` : fragment.name,
      });
    }));
    this.problems = summary.problems;
    this.showProblems();
    if (this.isShown && summary.revision !== this.revision) await this.load();
  }

  /** Shows another text. @param {string} path */
  async select(path) {
    await this.flush();
    this.path = path;
    this.group++;
    for (const tab of this.list.children) {
      const isShown = /** @type {HTMLElement} */ (tab).dataset.path === path;
      tab.setAttribute("aria-selected", String(isShown));
      /** @type {HTMLElement} */ (tab).tabIndex = isShown ? 0 : -1;
    }
    await this.load();
    this.scroller.scrollTo(0, 0);
  }

  /** Reads the text and its colours from the server. */
  async load() {
    const { api } = this.studio;
    if (!api) return;
    const path = this.path;
    const { text: before, base } = this;
    const loaded = await this.studio.run(api.get(`fragment?path=${encodeURIComponent(path)}`));
    if (!loaded || path !== this.path || api !== this.studio.api) return;
    this.revision = loaded.revision;
    // What was typed and is not with the server yet stays.
    if (this.text !== before || before !== base) {
      this.base = loaded.text;
      return this.send();
    }
    this.base = loaded.text;
    this.setText(loaded.text);
    this.paint(loaded.tokens);
    if (this.wanted?.path === path) this.select_(this.wanted);
  }

  /** Replaces the text where it differs, so that the caret stays. @param {string} text */
  setText(text) {
    const { from, to, by } = difference(this.text, text);
    if (from !== to || by) {
      const caret = this.caret();
      this.node.replaceData(from, to - from, by);
      if (caret) this.setCaret(caret.at <= from ? caret.at : Math.max(from, caret.at + by.length - (to - from)));
    }
    this.count();
  }

  /** Numbers the lines. */
  count() {
    const lines = this.text.split("\n").length;
    if (this.lines === lines) return;
    this.lines = lines;
    this.numbers.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n");
  }

  /**
   * Colours the text.
   * @param {[number, number, string][]} tokens
   */
  paint(tokens) {
    /** @type {Map<string, Range[]>} */
    const ranges = new Map(CLASSES.map((name) => [name, []]));
    for (const [from, length, name] of tokens) ranges.get(name)?.push(this.range(from, from + length));
    for (const [name, list] of ranges) paint(`token-${name}`, list);
    this.showProblems();
  }

  /** @param {number} from @param {number} to */
  range(from, to) {
    const range = document.createRange();
    const end = this.node.length;
    range.setStart(this.node, Math.min(from, end));
    range.setEnd(this.node, Math.min(to, end));
    return range;
  }

  /** Underlines problems, and lists them all. */
  showProblems() {
    for (const severity of ["error", "warning"]) {
      const own = this.problems.filter((p) => p.severity === severity && p.at?.path === this.path);
      const ranges = own.map(({ at }) => {
        const { from, to } = /** @type {Place} */ (at);
        // What is missing has an empty place; the character before it is underlined.
        return from === to ? this.range(Math.max(0, from - 1), Math.max(to, 1)) : this.range(from, to);
      });
      paint(`problem-${severity}`, ranges);
    }
    this.list_.replaceChildren(...this.problems.map((problem) => {
      const { at } = problem;
      const where = at ? `${at.what || this.nameOf(at.path)}, line ${at.line}: ` : "";
      const text = [where + problem.message, problem.label, ...problem.help.map((help) => `help: ${help}`)].filter(Boolean).join(" · ");
      return element("li", { class: problem.severity === "error" ? "bad" : "odd" },
        at ? button(text, () => this.studio.goTo(at)) : text);
    }));
  }

  /** @param {string} path */
  nameOf(path) {
    return this.studio.document?.fragments.find((fragment) => fragment.path === path)?.name ?? path;
  }

  /** Sends what was typed. */
  flush() {
    this.sending = this.sending.then(() => this.sendNow());
    return this.sending;
  }

  async sendNow() {
    const { api, document: of } = this.studio;
    if (!api || !of || this.text === this.base) return;
    const text = this.text;
    const { from, to, by } = difference(this.base, text);
    const patches = [{ from, to, text: by }];
    const group = `${this.path} ${this.group}`;
    try {
      const summary = await api.post("patches", { revision: of.revision, path: this.path, patches, group });
      this.base = text;
      this.revision = summary.revision;
      this.studio.changed(summary);
      await this.load();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 409) return this.studio.notice(error.message);
      // Something else has changed the document: what was typed is compared with that.
      const summary = await this.studio.run(api.get("document"));
      const loaded = await this.studio.run(api.get(`fragment?path=${encodeURIComponent(this.path)}`));
      if (!summary || !loaded) return;
      this.base = loaded.text;
      this.revision = summary.revision;
      this.studio.changed(summary);
      this.send();
    }
  }

  /** The text has changed under the user's hands. */
  edited() {
    this.count();
    if (Date.now() - this.typed > PAUSE) this.group++;
    this.typed = Date.now();
    this.send();
  }

  /**
   * Replaces a range of the text.
   * @param {number} from @param {number} to @param {string} by
   */
  replace(from, to, by) {
    this.node.replaceData(from, to - from, by);
    this.setCaret(from + by.length);
    this.edited();
  }

  /** Edits the one text node itself, so that the browser adds no elements. @param {InputEvent} event */
  input(event) {
    const { inputType } = event;
    if (event.isComposing || inputType === "insertCompositionText") return;
    event.preventDefault();
    if (inputType === "historyUndo") return void this.studio.undo();
    if (inputType === "historyRedo") return void this.studio.redo();
    const range = this.target(inputType);
    if (!range) return;
    const { from, to } = range;
    if (inputType.startsWith("delete")) return this.replace(from, to, "");
    if (inputType === "insertLineBreak" || inputType === "insertParagraph") {
      const line = this.text.slice(this.text.lastIndexOf("\n", from - 1) + 1, from);
      return this.replace(from, to, `\n${/^[ \t]*/.exec(line)?.[0] ?? ""}`);
    }
    const data = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    this.replace(from, to, data.replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
    if (/[\w.]$/.test(data) && data.length === 1) this.completion.offerSoon();
    else this.completion.close();
  }

  /**
   * Returns the range that an edit concerns. Browsers do not name it for plain text.
   * @param {string} inputType
   */
  target(inputType) {
    const caret = this.caret();
    const selection = getSelection();
    if (!caret || !selection || caret.from !== caret.to || !inputType.startsWith("delete")) return caret;
    const direction = inputType.endsWith("Forward") ? "forward" : "backward";
    const unit = inputType.includes("Word") ? "word" : inputType.includes("Line") ? "lineboundary" : "character";
    selection.modify("extend", direction, unit);
    return this.caret();
  }

  /**
   * Returns the offset in the text of a position in the document.
   * @param {Node} container @param {number} offset
   */
  offset(container, offset) {
    if (container === this.node) return offset;
    return container === this.code && offset === 0 ? 0 : this.node.length;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.completion.key(event)) return;
    if (event.key === "Escape") this.leaves = true;
    else if (event.key === "Tab" && !this.leaves && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      this.indent(event.shiftKey);
    } else if (event.key === "F12") {
      event.preventDefault();
      void this.define();
    } else if (event.key === "F2") {
      event.preventDefault();
      void this.rename();
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      void this.completion.offer();
    } else if (event.key !== "Shift" && event.key !== "Tab") this.leaves = false;
  }

  /** Indents the selected lines, or inserts a tab. @param {boolean} back */
  indent(back) {
    const caret = this.caret();
    if (!caret) return;
    const start = this.text.lastIndexOf("\n", caret.from - 1) + 1;
    if (caret.from === caret.to && !back) return this.replace(caret.from, caret.to, "\t");
    const lines = this.text.slice(start, caret.to).split("\n");
    const by = lines.map((line) => (back ? line.replace(/^(\t| {1,4})/, "") : `\t${line}`)).join("\n");
    const to = caret.to;
    this.replace(start, to, by);
    getSelection()?.setBaseAndExtent(this.node, start, this.node, start + by.length);
  }

  /** @param {KeyboardEvent} event */
  listKey(event) {
    const tabs = /** @type {HTMLElement[]} */ ([...this.list.children]);
    const at = tabs.findIndex((tab) => tab === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = tabs[(at + step + tabs.length) % tabs.length];
    void this.select(/** @type {string} */ (next.dataset.path)).then(() => next.focus());
  }

  /** Returns the selection in the text. */
  caret() {
    const selection = getSelection();
    if (!selection?.anchorNode || !this.code.contains(selection.anchorNode)) return null;
    const anchor = this.offset(selection.anchorNode, selection.anchorOffset);
    const at = this.offset(/** @type {Node} */ (selection.focusNode), selection.focusOffset);
    return { at, from: Math.min(anchor, at), to: Math.max(anchor, at) };
  }

  /** @param {number} at */
  setCaret(at) {
    getSelection()?.collapse(this.node, Math.min(at, this.node.length));
  }

  /** Says what is at the caret. */
  moved() {
    const caret = this.isShown ? this.caret() : null;
    if (!caret) return;
    const problem = this.problemAt(caret.at);
    this.found.textContent = problem ? problem.message : "";
    this.found.className = `found ${problem?.severity === "error" ? "bad" : "odd"}`;
    if (!this.completion.list.hidden && caret.at !== this.completion.at) this.completion.close();
  }

  /** @param {number} at */
  problemAt(at) {
    return this.problems.find((p) => p.at?.path === this.path && p.at.from <= at && at <= p.at.to);
  }

  /** Shows the problem under the mouse. @param {MouseEvent} event */
  hover(event) {
    // Older browsers have the other name.
    const position = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const problem = position?.offsetNode === this.node ? this.problemAt(position.offset) : undefined;
    this.code.title = problem ? [problem.message, problem.label, ...problem.help].filter(Boolean).join("\n") : "";
  }

  /** Goes to the declaration of the name at the caret, and from there to its uses. */
  async define() {
    await this.flush();
    const caret = this.caret();
    const { api } = this.studio;
    if (!caret || !api) return;
    const found = await this.studio.run(api.post("definition", { path: this.path, at: caret.at }));
    if (!found) {
      this.found.textContent = found === null ? "There is no name here." : "";
      return;
    }
    const { name, detail, declared, uses } = found;
    const isHere = (/** @type {Place} */ place) => place.path === this.path && place.from <= caret.at && caret.at <= place.to;
    const all = [declared, ...uses].filter(Boolean);
    const here = all.findIndex(isHere);
    const next = declared && here !== 0 ? declared : all[(here + 1) % all.length];
    if (next) this.studio.goTo(next);
    const count = uses.length === 1 ? "1 use" : `${uses.length} uses`;
    this.found.className = "found";
    this.found.textContent = `${name}: ${detail}; ${declared ? `declared in ${declared.what || this.nameOf(declared.path)}, line ${declared.line}` : "predeclared"}; ${count}`;
  }

  /** Asks for another name of what is at the caret, and puts it wherever this name is meant. */
  async rename() {
    await this.flush();
    const caret = this.caret();
    const { api } = this.studio;
    if (!caret || !api) return;
    const at = { path: this.path, at: caret.at };
    const found = await this.studio.run(api.post("definition", at));
    if (!found?.declared) {
      this.found.textContent = found ? `${found.name} is predeclared.` : "There is no name here that could be renamed.";
      return;
    }
    const count = found.uses.length === 1 ? "1 use" : `${found.uses.length} uses`;
    const name = await ask(`Rename ${found.name} (${count})`, "New name", found.name);
    if (name && name !== found.name) {
      const summary = await this.studio.run(api.post("rename", { revision: this.studio.document?.revision, ...at, name }));
      if (summary) this.studio.changed(summary);
    }
    this.code.focus();
  }

  /** Shows a place. @param {Place} place */
  async goTo(place) {
    if (!this.studio.document?.fragments.some((fragment) => fragment.path === place.path)) return;
    this.wanted = place;
    if (place.path !== this.path) await this.select(place.path);
    else if (this.revision === this.studio.document.revision) this.select_(place);
    else await this.load();
  }

  /** Selects a range, and scrolls to it. @param {Place} place */
  select_({ from, to }) {
    this.wanted = null;
    const end = this.node.length;
    this.code.focus();
    getSelection()?.setBaseAndExtent(this.node, Math.min(from, end), this.node, Math.min(to, end));
    const at = this.range(from, Math.max(to, from + 1)).getBoundingClientRect();
    const box = this.scroller.getBoundingClientRect();
    if (at.top < box.top || at.bottom > box.bottom) this.scroller.scrollBy(0, at.top - box.top - box.height / 3);
  }
}

/** @param {string} name @param {Range[]} ranges */
function paint(name, ranges) {
  if (PAINTS) CSS.highlights.set(name, new Highlight(...ranges));
}

/**
 * Returns the range in which two texts differ.
 * @param {string} a @param {string} b
 */
export function difference(a, b) {
  let from = 0;
  const most = Math.min(a.length, b.length);
  while (from < most && a[from] === b[from]) from++;
  let end = 0;
  while (end < most - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  // Half of a character is none.
  const isLow = (/** @type {string} */ c) => c >= "\udc00" && c <= "\udfff";
  if (from > 0 && (isLow(a[from] ?? "") || isLow(b[from] ?? ""))) from--;
  while (end > 0 && isLow(a[a.length - end])) end--;
  return { from, to: a.length - end, by: b.slice(from, b.length - end) };
}
