// @ts-check
// The queries of the model: ask them, watch the search, read the answer and its evidence.

import { button, bytes, element, grouped, later } from "./dom.js";
import { OptionForm } from "./options.js";
import { ProgressPlot } from "./plot.js";
import { editQuery } from "./query-dialog.js";

/** @typedef {import("./app.js").Studio} Studio */
/** @typedef {import("./api.js").DocumentSummary} DocumentSummary */
/** @typedef {import("./api.js").QueryEntry} QueryEntry */

/** @type {Record<string, string>} */
const SIGNS = { "satisfied": "✓", "not satisfied": "✗", "unknown": "?" };

/** The view "Queries". */
export class Queries {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.studio = studio;
    /** @type {Map<string, any>} The last answer to each text. */
    this.answers = new Map();
    /** @type {Map<number, {card: HTMLElement, plot: ProgressPlot}>} */
    this.searches = new Map();
    /** The text of the query whose details are shown. */
    this.current = "";
    /** @type {Set<number>} The searches that have ended. */
    this.ended = new Set();

    this.options = new OptionForm(() => this.tellCommand());
    this.runAll = button("Run all", () => void this.run(this.all()), { class: "primary" });
    this.stopAll = button("Stop", () => void this.stop(), { disabled: true });
    this.list = element("ol", { class: "queries", "aria-label": "Queries" });
    this.details = element("div", { class: "answer-details", "aria-live": "polite" });
    this.running = element("div", { class: "running" });
    this.command = element("code", { class: "command" });
    const copy = button("Copy", () => void navigator.clipboard.writeText(this.command.textContent ?? "").then(() => studio.notice("Copied.", false)), { "aria-label": "Copy the command" });
    root.classList.add("queries-view");
    root.append(
      element("div", { class: "query-list" },
        element("div", { class: "tools", role: "toolbar", "aria-label": "Queries" }, this.runAll, this.stopAll,
          button("Add query…", () => void this.edit(null))),
        this.list),
      element("div", { class: "query-side" },
        this.running, this.details,
        element("details", { class: "options" }, element("summary", {}, "Options"), this.options.root),
        element("p", { class: "command-line" }, element("span", {}, "The same on the command line:"), this.command, copy)));
    this.tellCommand = later(150, () => void this.showCommand());
    studio.addEventListener("session", () => this.reset());
    studio.addEventListener("document", () => this.update());
    studio.addEventListener("progress", (event) => this.progress(/** @type {CustomEvent} */ (event).detail));
    studio.addEventListener("answer", (event) => this.answered(/** @type {CustomEvent} */ (event).detail));
    studio.addEventListener("done", (event) => this.done(/** @type {CustomEvent} */ (event).detail));
    studio.addEventListener("missed", () => void this.catchUp());
  }

  shown() {
    void this.options.load(this.studio);
    this.update();
    void this.showCommand();
  }

  hidden() {}

  reset() {
    this.ended.clear();
    this.answers.clear();
    this.searches.clear();
    this.running.replaceChildren();
    this.current = "";
    void this.catchUp();
  }

  /** Reads the answers that the session has, after the page was loaded again. */
  async catchUp() {
    const known = await this.studio.run(/** @type {any} */ (this.studio.api).get("answers"));
    if (!known) return;
    for (const answer of known.answers) this.answers.set(answer.result.query, answer);
    for (const id of known.running) this.watch(id, []);
    for (const id of [...this.searches.keys()]) if (!known.running.includes(id)) this.done({ search: id, error: null });
    this.update();
  }

  /** @returns {QueryEntry[]} */
  get entries() {
    return this.studio.document?.queries ?? [];
  }

  /** The numbers of the queries that can be asked. */
  all() {
    return this.entries.map((_, number) => number).filter((number) => this.entries[number].text.trim() && !this.entries[number].problems.some((p) => p.severity === "error"));
  }

  /** Shows the list. */
  update() {
    const revision = this.studio.document?.revision;
    const focused = document.activeElement?.getAttribute("data-query");
    this.list.replaceChildren(...this.entries.map((entry, number) => this.item(entry, number, revision)));
    if (focused) /** @type {HTMLElement|null} */ (this.list.querySelector(`[data-query="${CSS.escape(focused)}"]`))?.focus();
    if (!this.entries.length) this.list.replaceChildren(element("li", { class: "empty" }, "The model has no queries yet."));
    this.runAll.disabled = !this.studio.document?.valid || !this.all().length;
    this.stopAll.disabled = this.searches.size === 0;
    if (!this.entries.some((entry) => entry.text === this.current)) this.current = this.entries[0]?.text ?? "";
    this.showDetails();
    this.tellCommand?.();
  }

  /** @param {QueryEntry} entry @param {number} number @param {number|undefined} revision */
  item(entry, number, revision) {
    const answer = this.answers.get(entry.text);
    const isOld = answer && answer.revision !== revision;
    const wrong = entry.problems.find((p) => p.severity === "error");
    const verdict = answer?.result.answer ?? null;
    const state = wrong ? "refused" : verdict ? verdict.replace(" ", "-") : "open";
    const sign = wrong ? "!" : verdict ? SIGNS[verdict] : "·";
    const label = wrong ? "refused" : verdict ?? "not asked yet";
    const name = entry.name && entry.name !== entry.text ? entry.name : entry.comment.trim();
    const isShown = entry.text === this.current;
    const what = button("", () => { this.current = entry.text; this.update(); }, { class: "what", "data-query": number, "aria-pressed": String(isShown) });
    const remark = (/** @type {string} */ text, kind = "comment") => what.append(element("span", { class: kind }, text));
    what.append(element("code", {}, entry.text || "(empty)"));
    if (name) remark(name);
    if (wrong) remark(wrong.message, "bad");
    else if (answer) remark(isOld ? `${label}, before the last change` : label);
    else if (entry.recorded.length) remark(`recorded: ${entry.recorded[entry.recorded.length - 1]}`);
    if (entry.expect) remark(`expected: ${entry.expect}`);
    return element("li", { class: `query ${state}${isOld ? " old" : ""}${isShown ? " shown" : ""}` },
      element("span", { class: "sign", role: "img", "aria-label": label, title: label }, sign), what,
      element("span", { class: "item-tools" },
        button("Run", () => void this.run([number]), { "aria-label": `Run query ${number + 1}`, disabled: !!wrong || !this.studio.document?.valid }),
        button("Edit", () => void this.edit(number), { "aria-label": `Edit query ${number + 1}` }),
        button("×", () => void this.remove(number), { "aria-label": `Remove query ${number + 1}`, title: "Remove" })));
  }

  /** Asks queries. @param {number[]} numbers */
  async run(numbers) {
    await this.studio.flush();
    const { api } = this.studio;
    if (!api) return;
    const texts = numbers.map((number) => this.entries[number]?.text ?? "");
    if (texts.length === 1) this.current = texts[0];
    const started = await this.studio.run(api.post("queries", { numbers, options: this.options.chosen() }));
    if (!started) return;
    this.studio.notice("");
    this.watch(started.search, texts);
    this.update();
  }

  /** Shows the progress of a search. @param {number} id @param {string[]} texts */
  watch(id, texts) {
    // A quick search may have ended before the page hears of its begin.
    if (this.ended.has(id)) return;
    const title = texts.length === 1 ? texts[0] : texts.length ? `${texts.length} queries` : "A search";
    const known = this.searches.get(id);
    if (known) {
      const heading = known.card.querySelector("h2");
      if (heading && texts.length) heading.textContent = title;
      return;
    }
    const plot = new ProgressPlot();
    const numbers = element("p", { class: "numbers-line", role: "status" }, "The search begins…");
    const card = element("section", { class: "search", "aria-label": "Search" },
      element("h2", {}, title), button("Stop", () => void this.studio.run(/** @type {any} */ (this.studio.api).post(`searches/${id}/stop`))),
      numbers, plot.root);
    this.searches.set(id, { card, plot });
    // A search that takes no time to notice needs no picture.
    setTimeout(() => { if (this.searches.has(id)) this.running.append(card); }, 150);
  }

  async stop() {
    for (const id of this.searches.keys()) await this.studio.run(/** @type {any} */ (this.studio.api).post(`searches/${id}/stop`));
  }

  /** @param {any} news */
  progress(news) {
    if (!this.searches.has(news.search)) this.watch(news.search, []);
    const search = this.searches.get(news.search);
    if (!search) return;
    const line = /** @type {HTMLElement} */ (search.card.querySelector(".numbers-line"));
    const { states: s, formula: f, seconds } = news;
    const memory = news.resident_bytes ? `, ${bytes(news.resident_bytes)}` : "";
    if (s) {
      const rate = seconds > 0 ? s.explored / seconds : 0;
      line.textContent = `${s.phase}: ${grouped(s.explored)} states explored, ${grouped(s.waiting)} waiting, ${grouped(rate)} per second, ${seconds.toFixed(1)} s${memory}`;
      search.plot.add(seconds, s);
    } else if (f) {
      line.textContent = `formula with ${f.steps} steps and ${grouped(f.nodes)} nodes, ${seconds.toFixed(1)} s${memory}`;
    }
  }

  /** @param {any} answer */
  answered(answer) {
    this.answers.set(answer.result.query, answer);
    this.update();
  }

  /** @param {any} news */
  done({ search: id, error }) {
    this.ended.add(id);
    const search = this.searches.get(id);
    search?.card.remove();
    this.searches.delete(id);
    if (error) this.studio.notice(error);
    this.update();
  }

  /** Shows the answer to the current query. */
  showDetails() {
    const answer = this.answers.get(this.current);
    if (!answer) {
      const entry = this.entries.find((each) => each.text === this.current);
      return this.details.replaceChildren(entry ? element("p", { class: "hint" }, "Run the query to see its answer here.") : "");
    }
    const { result, problems } = answer;
    const verdict = result.answer ?? "refused";
    const sign = SIGNS[verdict] ?? "!";
    const bound = (/** @type {any} */ b) => b && (b.number === null ? "∞" : `${b.strict ? "<" : ""}${b.number}`);
    const values = (result.value ?? []).map((/** @type {any} */ v) =>
      element("li", {}, `${v.expression}: ${[v.least && `from ${bound(v.least)}`, v.greatest && `up to ${bound(v.greatest)}`].filter(Boolean).join(" ")}`));
    const tools = element("p", { class: "tools" });
    const api = /** @type {import("./api.js").Api} */ (this.studio.api);
    const said = element("p", { class: "said", role: "status" });
    if (answer.trace !== null) {
      const steps = answer.trace === 1 ? "1 step" : `${answer.trace} steps`;
      tools.append(
        button(`${answer.spurious ? "Spurious trace" : "Trace"} with ${steps}`, () => { this.studio.show("trace"); this.studio.emit("trace", { answer: answer.id }); }, { class: "primary" }),
        button("Replay", async () => {
          const checked = await this.studio.run(api.post(`answers/${answer.id}/replay`));
          if (!checked) return;
          said.className = `said ${checked.ok ? "good" : "bad"}`;
          said.textContent = checked.ok ? `Replayed with exact arithmetic: all ${steps} are possible, and they show the answer.` : `Not a run that shows the answer: ${checked.reason}`;
        }, { title: "Runs the trace with exact arithmetic, as `merkhet replay` does" }),
        element("a", { class: "button", href: api.address(`answers/${answer.id}/traces`), download: "traces.json" }, "Save trace"));
    }
    if (answer.proof) {
      tools.append(
        button("Certify", async () => {
          const checked = await this.studio.run(api.post(`answers/${answer.id}/certify`));
          if (!checked) return;
          said.className = `said ${checked.proved ? "good" : "bad"}`;
          const size = checked.states ? `${grouped(checked.states)} symbolic states, ${grouped(checked.transitions)} transitions` : `${grouped(checked.clauses ?? 0)} clauses`;
          said.textContent = checked.proved ? `Proved by the independent checker: ${size}.` : `Not proved: ${checked.refusal?.reason}`;
        }, { title: "Checks the proof with the independent checker, as `merkhet certify` does" }),
        element("a", { class: "button", href: api.address(`answers/${answer.id}/certificate`), download: "certificate.txt" }, "Save certificate"));
    }
    if (answer.trace === null && result.answer && /^\s*[AE]|-->/.test(result.query)) {
      // What holds of all runs is not shown by one.
      const isOfAll = /^\s*A|-->/.test(result.query) === (result.answer === "satisfied");
      const why = isOfAll ? "No single run shows this answer. A certificate proves it: choose one under Options." : "No trace was asked for: choose one under Options.";
      tools.append(element("span", { class: "hint" }, why));
    }
    this.details.replaceChildren(
      element("h2", { class: `verdict ${verdict.replace(" ", "-")}` }, element("span", { "aria-hidden": "true" }, `${sign} `), verdict),
      element("p", {}, element("code", {}, result.query)),
      ...[result.reason && element("p", {}, result.reason), result.note && element("p", { class: "hint" }, result.note)].filter(Boolean),
      values.length ? element("ul", {}, ...values) : "",
      ...problems.map((/** @type {any} */ p) => element("p", { class: "bad" }, p.at ? button(p.message, () => this.studio.goTo(p.at)) : p.message)),
      tools, said,
      result.blame ? blame(result.blame) : "",
      result.stats ? statistics(result.stats) : "");
  }

  /** Shows the command line. */
  async showCommand() {
    const { api } = this.studio;
    const entry = this.entries.findIndex((each) => each.text === this.current);
    if (!api || this.studio.current !== "queries") return;
    const numbers = entry >= 0 ? [entry] : [];
    const answer = await api.post("command", { numbers, options: this.options.chosen() }).catch((/** @type {Error} */ e) => ({ error: e.message }));
    this.command.textContent = answer.command ?? answer.error;
  }

  /** Changes a query, or adds one. @param {number|null} number */
  async edit(number) {
    await editQuery(this.studio, number);
  }

  /** @param {number} number */
  async remove(number) {
    await this.studio.flush();
    await this.studio.change("queries/edit", { revision: this.studio.document?.revision, edit: { remove: number } });
  }
}

/** Says which join is to blame. @param {any} join */
function blame(join) {
  const variables = (/** @type {any} */ state) => new Map([...(state.variables ?? []), ...(state.elements ?? [])].map((v) => [v.name, String(v.value)]));
  const [stored, fresh, joined] = [join.stored, join.new, join.joined].map(variables);
  const differ = [...joined.keys()].filter((name) => stored.get(name) !== fresh.get(name) || fresh.get(name) !== joined.get(name));
  const row = (/** @type {string[]} */ cells, cell = "td") => element("tr", {}, ...cells.map((text) => element(/** @type {"td"} */ (cell), {}, text)));
  return element("section", { class: "blame" },
    element("h2", {}, `The join at step ${join.step} is to blame`),
    element("p", {}, "The rest of the trace is possible after it, and not from either of the two states that were joined. This strategy excludes it: ", element("code", {}, `--join='${join.strategy}'`)),
    differ.length ? element("table", {}, row(["", "stored", "new", "joined"], "th"), ...differ.map((name) => row([name, stored.get(name) ?? "", fresh.get(name) ?? "", joined.get(name) ?? ""]))) : "");
}

/** Shows what was counted. @param {any} stats */
function statistics(stats) {
  const rows = [
    ["States explored", grouped(stats.explored)], ["Successors", grouped(stats.generated)], ["States stored", grouped(stats.stored)],
    ["Time", `${stats.seconds.toFixed(3)} s`], ["Memory of states", bytes(stats.peak_bytes)],
    stats.peak_resident_bytes && ["Memory of the process", bytes(stats.peak_resident_bytes)],
    stats.threads > 1 && ["Threads", String(stats.threads)],
    stats.queries > 1 && ["Queries that shared the search", String(stats.queries)],
    stats.decided_by && ["Decided by", stats.decided_by],
    stats.strategy && ["Strategy", stats.strategy],
    stats.symmetry && ["Symmetry", "used"],
    stats.local_time && ["Local time", "used"],
    stats.refinements > 0 && ["Joins undone", grouped(stats.refinements)],
    stats.formulas && ["Formula", `${stats.formulas.steps ?? ""} steps, ${grouped(stats.formulas.nodes ?? 0)} nodes`],
  ].filter(Boolean);
  return element("table", { class: "statistics" }, element("caption", {}, "Statistics"),
    ...rows.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))));
}
