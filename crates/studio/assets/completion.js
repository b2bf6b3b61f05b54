// @ts-check
// The names that complete a word.

import { Refusal } from "./api.js";
import { element, later } from "./dom.js";

/** @typedef {{name: string, kind: string, detail: string}} Offer */

/** A list of names beside the caret of a text. */
export class Completion {
  /** @param {import("./text.js").Text} text */
  constructor(text) {
    this.text = text;
    this.list = element("ul", { class: "completion", role: "listbox", id: "completion", "aria-label": "Names", hidden: true });
    document.body.append(this.list);
    /** @type {Offer[]} */
    this.offers = [];
    this.chosen = 0;
    this.asked = 0;
    /** The caret for which names are offered. */
    this.at = -1;
    this.offerSoon = later(90, () => {
      const caret = text.caret();
      if (caret && /[\p{L}\p{N}_$#.]$/u.test(text.text.slice(0, caret.at))) void this.offer();
    });
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = /** @type {HTMLElement} */ (event.target).closest("li");
      if (item) this.take([...this.list.children].indexOf(item));
    });
  }

  /** Asks the server what completes the word before the caret. */
  async offer() {
    const { text } = this;
    const caret = text.caret();
    const { api } = text.studio;
    if (!caret || !api || caret.from !== caret.to) return this.close();
    const asked = ++this.asked;
    // The server has to know the names that were declared just now.
    await text.flush();
    const before = text.text.slice(text.text.lastIndexOf("\n", caret.at - 1) + 1, caret.at);
    let offers;
    try {
      offers = await api.post("complete", { path: text.path, at: caret.at, before });
    } catch (error) {
      // A word without help is no reason for a message.
      if (error instanceof Refusal) return this.close();
      throw error;
    }
    const now = text.caret();
    if (asked !== this.asked || now?.at !== caret.at) return;
    this.offers = offers;
    this.at = caret.at;
    if (!offers.length) return this.close();
    this.list.replaceChildren(...offers.map((/** @type {Offer} */ offer, /** @type {number} */ i) =>
      element("li", { role: "option", id: `completion-${i}`, class: `is-${offer.kind}` },
        element("span", {}, offer.name), element("small", {}, offer.kind === "keyword" ? "" : offer.detail))));
    const at = text.range(Math.max(0, caret.at - 1), caret.at).getBoundingClientRect();
    this.list.hidden = false;
    this.list.style.left = `${Math.min(at.left, innerWidth - this.list.offsetWidth - 8)}px`;
    const below = at.bottom + 2;
    this.list.style.top = `${below + this.list.offsetHeight > innerHeight ? at.top - this.list.offsetHeight - 2 : below}px`;
    this.choose(0);
  }

  /** @param {number} number */
  choose(number) {
    const { children } = this.list;
    this.chosen = (number + children.length) % children.length;
    [...children].forEach((item, i) => item.setAttribute("aria-selected", String(i === this.chosen)));
    children[this.chosen]?.scrollIntoView({ block: "nearest" });
    this.text.code.setAttribute("aria-activedescendant", `completion-${this.chosen}`);
    this.text.code.setAttribute("aria-controls", "completion");
  }

  /** @param {number} number */
  take(number) {
    const offer = this.offers[number];
    const caret = this.text.caret();
    this.close();
    if (!offer || !caret) return;
    const word = /[\p{L}\p{N}_$#]*$/u.exec(this.text.text.slice(0, caret.at))?.[0] ?? "";
    this.text.replace(caret.at - word.length, caret.at, offer.name);
  }

  close() {
    this.asked++;
    if (this.list.hidden) return;
    this.list.hidden = true;
    this.text.code.removeAttribute("aria-activedescendant");
    this.text.code.removeAttribute("aria-controls");
  }

  /** Handles a key of the editor. Returns whether it was for the list. @param {KeyboardEvent} event */
  key(event) {
    if (this.list.hidden || event.ctrlKey || event.altKey) return false;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.choose(this.chosen + 1),
      ArrowUp: () => this.choose(this.chosen - 1),
      Enter: () => this.take(this.chosen),
      Tab: () => this.take(this.chosen),
      Escape: () => this.close(),
    };
    const run = keys[event.key];
    if (!run) return false;
    event.preventDefault();
    run();
    return true;
  }
}
