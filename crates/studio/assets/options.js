// @ts-check
// The options of searches, as a form that is made from the table of the command line.

import { request } from "./api.js";
import { element } from "./dom.js";

/** Where the browser keeps what was chosen. */
const KEPT = "merkhet-options";

/** The form. */
export class OptionForm {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.root = element("form", { class: "option-form" });
    this.root.addEventListener("submit", (event) => event.preventDefault());
    this.root.addEventListener("input", () => {
      localStorage.setItem(KEPT, JSON.stringify(this.chosen()));
      this.mark();
      changed();
    });
    /** @type {Map<string, HTMLInputElement|HTMLSelectElement>} */
    this.fields = new Map();
    this.isLoaded = false;
  }

  /** Reads the table of options. @param {import("./app.js").Studio} studio */
  async load(studio) {
    if (this.isLoaded) return;
    this.isLoaded = true;
    const groups = await studio.run(request("GET", "/api/options"));
    if (!groups) return void (this.isLoaded = false);
    for (const { title, options } of groups) {
      this.root.append(element("fieldset", {}, element("legend", {}, title), ...options.map((/** @type {any} */ option) => this.option(option))));
    }
    this.root.append(element("p", {}, element("button", { type: "button", onclick: () => this.clear() }, "Reset all options")));
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '[{"name":"trace","value":"some"}]');
    for (const { name, value } of kept) this.set(name, value);
    this.mark();
    this.changed();
  }

  /** @param {any} option */
  option(option) {
    const { name, help, details, kind } = option;
    const id = `option-${name}`;
    const field = this.field(option, id);
    this.fields.set(name, field);
    const about = element("span", { class: "about", id: `${id}-help` }, help, details ? element("span", { class: "more" }, ` ${details}`) : "");
    return element("div", { class: `option is-${kind}`, "data-option": name }, element("label", { for: id }, name), field, about);
  }

  /** @param {any} option @param {string} id @returns {HTMLInputElement|HTMLSelectElement} */
  field({ kind, values, default: standard, least, most, metavar }, id) {
    const shared = { id, "aria-describedby": `${id}-help` };
    if (kind === "choice") {
      const without = standard ? `default: ${standard}` : "default";
      return element("select", shared, element("option", { value: "" }, without),
        ...values.map((/** @type {any} */ value) => element("option", { value: value.name, title: value.help }, `${value.name} – ${value.help}`)));
    }
    if (kind === "flag") return element("input", { ...shared, type: "checkbox" });
    /** @type {Record<string, () => string>} */
    const hints = {
      number: () => standard ?? (BigInt(most) > 1000000000n ? `${least} or more` : `${least} to ${most}`),
      time: () => "10s, 5m, 2h",
      size: () => "512M, 4G",
      fraction: () => standard,
      text: () => metavar,
    };
    const hint = hints[kind]?.();
    return element("input", { ...shared, type: "text", inputmode: kind === "number" ? "numeric" : "text", placeholder: hint, spellcheck: "false" });
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    const field = this.fields.get(name);
    if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = true;
    else if (field) field.value = value;
  }

  /** Returns what was chosen, in the order of the form. @returns {{name: string, value: string}[]} */
  chosen() {
    const chosen = [];
    if (!this.fields.size) return JSON.parse(localStorage.getItem(KEPT) ?? '[{"name":"trace","value":"some"}]');
    for (const [name, field] of this.fields) {
      const isFlag = field instanceof HTMLInputElement && field.type === "checkbox";
      if (isFlag ? field.checked : field.value.trim()) chosen.push({ name, value: isFlag ? "" : field.value.trim() });
    }
    return chosen;
  }

  /** Shows which options are not as usual. */
  mark() {
    const chosen = new Set(this.chosen().map((option) => option.name));
    for (const each of this.root.querySelectorAll("[data-option]")) {
      each.classList.toggle("chosen", chosen.has(/** @type {HTMLElement} */ (each).dataset.option ?? ""));
    }
  }

  clear() {
    this.root.reset();
    localStorage.setItem(KEPT, "[]");
    this.mark();
    this.changed();
  }
}
