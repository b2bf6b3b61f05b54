// @ts-check
// The possible transitions: hover shows them in the drawings, a click takes them, a slider or a number chooses the delay.

import { button, element } from "./dom.js";
import { compare, parse, show, ticks, words } from "./fraction.js";

/** @typedef {import("./simulator.js").Simulator} Simulator */
/** @typedef {import("./simulator.js").SimulatorView} SimulatorView */
/** @typedef {import("./fraction.js").DelayRange} DelayRange */

/** The list of what is possible. */
export class Moves {
  /** @param {Simulator} simulator */
  constructor(simulator) {
    this.simulator = simulator;
    /** Where sliders of unbounded intervals end. */
    this.horizon = 10;
    /** The number of entries that were made, for their names. */
    this.made = 0;
    this.root = element("div", { class: "moves" });
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** Gives the focus to the first transition. */
  focus() {
    /** @type {HTMLElement|null} */ (this.root.querySelector(".take"))?.focus();
  }

  /** @param {SimulatorView} view */
  show({ now, choices }) {
    const focused = this.root.contains(document.activeElement);
    const list = element("ol", { class: "transitions" });
    now.transitions.forEach((transition, i) => {
      const choice = choices[i];
      const { item, hover } = this.entry(choice.what, transition.delays, choice.earliest ?? "0", (delay) =>
        this.simulator.act({ do: "take", number: transition.number, delay }));
      hover(choice);
      list.append(item);
    });
    this.root.replaceChildren(list);
    if (now.transitions.length === 0 && !now.problem) {
      this.root.append(element("p", { class: "soft" }, now.errors.length ? "" : "No transition is possible, now or later."));
    }
    for (const error of now.errors) {
      const place = error.place ? ` (${error.place})` : "";
      this.root.append(element("p", { class: "bad" }, `Run-time error ${words(error.delays)}: ${error.message}${place}`));
    }
    if (now.wait.to !== "0") {
      const { item } = this.entry("Let time pass", [now.wait], this.least(now.wait), (delay) => this.simulator.act({ do: "wait", delay }));
      item.classList.add("wait");
      this.root.append(element("ul", { class: "transitions" }, item));
    }
    if (now.limit) this.root.append(element("p", { class: "soft" }, `Time is limited: ${now.limit}.`));
    if (focused) this.focus();
  }

  /** A delay that is worth a move. @param {DelayRange} wait */
  least(wait) {
    const all = ticks([wait], this.horizon).filter((each) => each.n !== 0n);
    const one = all.find((each) => compare(each, { n: 1n, d: 1n }) === 0) ?? all.at(-1);
    return one ? show(one) : "0";
  }

  /**
   * Creates a move with the choice of its delay.
   * @param {string} what
   * @param {DelayRange[]} delays
   * @param {string} first
   * @param {(delay: string) => Promise<boolean>} take
   */
  entry(what, delays, first, take) {
    const number = element("input", { type: "text", value: first, inputmode: "decimal", "aria-label": `Delay before: ${what}`, spellcheck: "false", size: "7" });
    const go = () => void take(number.value);
    this.made += 1;
    const when = element("span", { class: "when", id: `when-${this.made}` }, words(delays));
    const run = button(what, go, { class: "take", title: "Take it after this delay", "aria-describedby": when.id });
    number.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go();
    });
    const controls = element("div", { class: "delay" }, when);
    const all = ticks(delays, this.horizon);
    if (all.length > 1) {
      const slider = element("input", { type: "range", min: "0", max: String(all.length - 1), step: "1", "aria-label": `Delay before: ${what}` });
      const place = () => {
        const typed = parse(number.value);
        if (!typed) return;
        const after = all.findIndex((each) => compare(each, typed) >= 0);
        slider.value = String(after < 0 ? all.length - 1 : after);
        slider.setAttribute("aria-valuetext", number.value);
      };
      place();
      number.addEventListener("input", place);
      slider.addEventListener("input", () => {
        number.value = show(all[Number(slider.value)]);
        slider.setAttribute("aria-valuetext", number.value);
      });
      slider.addEventListener("keydown", (event) => {
        if (event.key === "Enter") go();
      });
      controls.append(slider, number);
    }
    const item = element("li", {}, run, controls);
    /** @param {import("./drawings.js").Choice} choice */
    const hover = (choice) => {
      item.addEventListener("pointerenter", () => this.simulator.hint(choice));
      item.addEventListener("pointerleave", () => this.simulator.hint(null));
      item.addEventListener("focusin", () => this.simulator.hint(choice));
      item.addEventListener("focusout", () => this.simulator.hint(null));
    };
    return { item, hover };
  }

  /** The arrows go from one move to the next. @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target instanceof HTMLInputElement) return;
    const all = /** @type {HTMLElement[]} */ ([...this.root.querySelectorAll(".take")]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0) return;
    event.preventDefault();
    all[(at + step + all.length) % all.length].focus();
  }
}
