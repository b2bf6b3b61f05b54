// @ts-check
// A state as a table, with what the last move has changed.

import { element } from "./dom.js";

/** From this number of rows on, a field filters them. */
const MANY = 14;

/** The table of a state. */
export class StateTable {
  constructor() {
    this.filter = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the state", spellcheck: "false", hidden: true });
    this.filter.addEventListener("input", () => this.apply());
    this.table = element("table", { class: "values" });
    this.root = element("div", {}, this.filter, this.table);
  }

  /**
   * Shows a state.
   * @param {any} state as `NamedState`
   * @param {{time: string, last: {step: any, set: string[]}|null}} about
   */
  show(state, { time, last }) {
    const step = last?.step;
    const changed = new Set([...(step?.changes ?? []), ...(step?.element_changes ?? [])].map((change) => change.name));
    const old = new Map([...(step?.changes ?? []), ...(step?.element_changes ?? [])].map((change) => [change.name, change.from]));
    const movers = new Set((step?.edges ?? []).map((/** @type {any} */ edge) => edge.process));
    const set = new Set(last?.set ?? []);
    this.table.replaceChildren();
    this.group("Time", [["time", time, false, ""]]);
    if (state.marking) {
      const places = state.marking.map((/** @type {any} */ place) => [place.place, tokens(place), changed.has(place.place), `was ${old.get(place.place)}`]);
      // A place that has lost its last token is worth a row, too.
      for (const change of step?.changes ?? []) if (change.to === 0) places.push([change.name, "0", true, `was ${change.from}`]);
      this.group("Tokens", places);
      this.group("Enabled for", state.enabled?.map((/** @type {any} */ t) => [t.transition, t.age ?? "", false, ""]) ?? []);
      return this.finish();
    }
    this.group("Locations", state.locations.map((/** @type {any} */ l) => [l.process, l.location, movers.has(l.process), "moved"]));
    const plain = [...state.variables, ...(state.elements ?? [])];
    this.group("Variables", plain.map((/** @type {any} */ v) => [v.name, String(v.value), changed.has(v.name), `was ${old.get(v.name)}`]));
    this.group("Clocks", (state.clocks ?? []).map((/** @type {any} */ c) => [c.name, c.value, set.has(c.name), "set"]));
    this.finish();
  }

  /**
   * @param {string} title
   * @param {[string, string, boolean, string][]} rows name, value, whether it has changed, and how
   */
  group(title, rows) {
    if (rows.length === 0) return;
    const body = element("tbody", {}, element("tr", { class: "group" }, element("th", { colspan: "2", scope: "rowgroup" }, title)));
    for (const [name, value, isNew, how] of rows) {
      body.append(element("tr", { class: isNew ? "changed" : "" }, element("th", { scope: "row" }, name),
        element("td", {}, value, isNew && how ? element("span", { class: "was" }, ` ${how}`) : null)));
    }
    this.table.append(body);
  }

  finish() {
    this.filter.hidden = this.table.rows.length <= MANY && this.filter.value === "";
    this.apply();
  }

  apply() {
    const wanted = this.filter.value.trim().toLowerCase();
    for (const row of this.table.rows) {
      row.hidden = wanted !== "" && !row.classList.contains("group") && !row.textContent?.toLowerCase().includes(wanted);
    }
  }
}

/** @param {any} place as `MarkedPlace` */
function tokens({ tokens: count, available, age, ages }) {
  if (ages?.length) return `${count} (${ages.length > 1 ? "ages" : "age"} ${ages.join(", ")})`;
  if (available) return `${count} (available)`;
  if (age !== undefined && age !== null) return `${count} (age ${age})`;
  return available === false ? `${count} (waiting)` : String(count);
}
