// @ts-check
// The page as a whole: its document, its views, its keys, and what happens when the server ends.

import { Api, Refusal, request } from "./api.js";
import { button, byId, element, later } from "./dom.js";
import { Editor } from "./editor.js";
import { UNSAVED, ask, choose, openDialog } from "./dialogs.js";
import { Queries } from "./queries.js";
import { Simulator } from "./simulator.js";
import { States } from "./states.js";
import { Text } from "./text.js";
import { Traces } from "./traces.js";

/** @typedef {import("./api.js").DocumentSummary} DocumentSummary */
/** @typedef {import("./api.js").Place} Place */
/** @typedef {{shown(): void, hidden(): void}} View */

/** The views, in the order of their tabs. */
const VIEWS = [
  { id: "editor", title: "Editor", make: Editor },
  { id: "text", title: "Text", make: Text },
  { id: "queries", title: "Queries", make: Queries },
  { id: "simulator", title: "Simulator", make: Simulator },
  { id: "trace", title: "Trace", make: Traces },
  { id: "states", title: "States", make: States },
];

/** Where the session of this tab is remembered. */
const SESSION = "merkhet-session";

/**
 * What all views share. Events, each with its `detail`:
 *
 * - `document`: the document has changed, or another one was opened ({@link DocumentSummary}).
 * - `answer`, `progress`, `done`: news about searches, from the server.
 * - `trace`: show this trace; `{answer: number}` is one of an answer, others are the view's own.
 * - `state`: load this state into the simulator.
 * - `place`: show this place of the text ({@link Place}).
 */
export class Studio extends EventTarget {
  constructor() {
    super();
    /** @type {Api|null} The requests of the session, once there is one. */
    this.api = null;
    /** @type {DocumentSummary|null} */
    this.document = null;
    /** @type {Map<string, {view: View, root: HTMLElement, tab: HTMLElement}>} */
    this.views = new Map();
    this.current = "";
    /** @type {(() => Promise<void>)[]} What has to happen before the document is used. */
    this.flushers = [];
    /** @type {EventSource|null} */
    this.stream = null;
    this.keep = later(400, () => void this.keepUnsaved());
    /** @type {Promise<void>} */
    this.stepping = Promise.resolve();
    this.start = { version: "", model: null, max_searches: 0 };
  }

  /** @param {string} name @param {any} [detail] */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /**
   * Sends what was typed and is not yet with the server.
   */
  async flush() {
    for (const flush of this.flushers) await flush();
  }

  /**
   * Takes over a document as a change has left it.
   * @param {DocumentSummary} summary
   */
  changed(summary) {
    // An answer that was overtaken says nothing new.
    if (this.document && summary.revision < this.document.revision) return;
    this.document = summary;
    byId("file").textContent = `${summary.path ?? summary.name}${summary.changed ? " •" : ""}`;
    document.title = `${summary.changed ? "• " : ""}${summary.name} – Merkhet Studio`;
    byId("save").disabled = !summary.changed && summary.path !== null;
    byId("undo").disabled = !summary.undo;
    byId("redo").disabled = !summary.redo;
    byId("report").href = this.api?.address("report") ?? "";
    const errors = summary.problems.filter((p) => p.severity === "error").length;
    const warnings = summary.problems.length - errors;
    const count = (/** @type {number} */ n, /** @type {string} */ what) => (n === 1 ? `1 ${what}` : `${n} ${what}s`);
    const found = [errors ? count(errors, "error") : "no errors", warnings && count(warnings, "warning")].filter(Boolean).join(", ");
    const verdict = byId("verdict");
    verdict.replaceChildren(errors || warnings ? button(found, () => this.showProblem()) : found);
    verdict.className = errors ? "bad" : "good";
    if (summary.changed) this.keep();
    else this.forgetUnsaved();
    this.emit("document", summary);
  }

  /** Shows the first problem that has a place. */
  showProblem() {
    const problems = this.document?.problems ?? [];
    const first = problems.find((p) => p.severity === "error" && p.at) ?? problems.find((p) => p.at);
    if (first?.at) this.goTo(first.at);
    else if (problems[0]) this.notice(problems[0].message);
  }

  /**
   * Shows a place of the text.
   * @param {Place} place
   */
  goTo(place) {
    this.show(this.document?.fragments.some((fragment) => fragment.path === place.path) ? "text" : "editor");
    this.emit("place", place);
  }

  /** @param {string} message @param {boolean} [bad] */
  notice(message, bad = true) {
    const notice = byId("notice");
    notice.hidden = message === "";
    notice.className = bad ? "bad" : "good";
    notice.replaceChildren(message, button("×", () => this.notice(""), { "aria-label": "Dismiss" }));
  }

  /**
   * Waits for a request, and shows why it is refused.
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T|undefined>}
   */
  async run(promise) {
    try {
      return await promise;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.notice(error.message);
      return undefined;
    }
  }

  /**
   * Changes the document by a request, and takes over the result.
   * @param {string} path
   * @param {any} [body]
   */
  async change(path, body) {
    const summary = await this.run(/** @type {Api} */ (this.api).post(path, body));
    if (summary) this.changed(summary);
    return summary;
  }

  undo() {
    return this.step("undo");
  }

  redo() {
    return this.step("redo");
  }

  /**
   * Undoes or redoes a step, after those that were asked for before.
   * @param {"undo"|"redo"} which
   */
  step(which) {
    this.stepping = this.stepping.then(async () => {
      await this.flush();
      if (this.document?.[which]) await this.change(which);
    });
    return this.stepping;
  }

  /** Saves the document, with its name or with a new one. @param {boolean} [as] */
  async save(as = false) {
    await this.flush();
    const { api, document: of } = this;
    if (!api || !of) return;
    let path = of.path;
    if (as || path === null) {
      path = await ask("Save as", "File in the served folder", of.path ?? of.name);
      if (!path) return;
    }
    const body = path === of.path ? {} : { path };
    try {
      this.changed(await api.post("save", body));
      this.notice(`Saved ${path}.`, false);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status !== 409) return this.notice(error.message);
      const choice = await choose("Save", `${error.message}. Replace it?`, ["Replace", "Cancel"]);
      if (choice === "Replace") await this.change("save", { ...body, force: true });
    }
  }

  /** Shows a view. @param {string} id */
  show(id) {
    if (id === this.current || !this.views.has(id)) return;
    for (const [other, { view, root, tab }] of this.views) {
      const isShown = other === id;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      if (other === this.current) view.hidden();
      root.hidden = !isShown;
    }
    this.current = id;
    this.views.get(id)?.view.shown();
    history.replaceState(null, "", `#${id}`);
  }

  /** Makes the tabs and the views. */
  build() {
    const tabs = byId("tabs");
    VIEWS.forEach(({ id, title, make }, number) => {
      const root = element("section", { id: `view-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}`, hidden: true });
      byId("view").append(root);
      const shortcut = `Alt+${number + 1}`;
      const tab = button(title, () => this.show(id), {
        id: `tab-${id}`, role: "tab", "aria-controls": root.id, "aria-selected": "false", tabindex: "-1",
        "aria-keyshortcuts": shortcut, title: shortcut,
      });
      tabs.append(tab);
      this.views.set(id, { view: new make(root, this), root, tab });
    });
    tabs.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const ids = VIEWS.map((view) => view.id);
      const step = { ArrowRight: 1, ArrowLeft: -1, Home: -ids.indexOf(this.current), End: ids.length - 1 - ids.indexOf(this.current) }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      this.show(ids[(ids.indexOf(this.current) + step + ids.length) % ids.length]);
      this.views.get(this.current)?.tab.focus();
    });
    byId("open").addEventListener("click", () => void this.open());
    byId("save").addEventListener("click", () => void this.save());
    byId("save-as").addEventListener("click", () => void this.save(true));
    byId("undo").addEventListener("click", () => void this.undo());
    byId("redo").addEventListener("click", () => void this.redo());
    byId("theme").addEventListener("click", () => this.nextTheme());
    this.setTheme(localStorage.getItem("merkhet-theme") ?? "system");
    addEventListener("keydown", (event) => this.key(event), { capture: true });
    addEventListener("beforeunload", (event) => {
      if (this.document?.changed) event.preventDefault();
    });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || Boolean(target.closest?.(".inline"));
    if (event.altKey && !event.ctrlKey && /^[1-9]$/.test(event.key)) {
      const view = VIEWS[Number(event.key) - 1];
      if (!view) return;
      event.preventDefault();
      this.show(view.id);
      this.views.get(view.id)?.tab.focus();
      return;
    }
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      s: () => void this.save(event.shiftKey),
      o: () => void this.open(),
      // Fields undo what was typed into them.
      ...(isField ? {} : { z: () => void (event.shiftKey ? this.redo() : this.undo()), y: () => void this.redo() }),
    };
    const run = keys[event.key.toLowerCase()];
    if (run) {
      event.preventDefault();
      run();
    }
  }

  nextTheme() {
    const all = ["system", "light", "dark"];
    this.setTheme(all[(all.indexOf(document.documentElement.dataset.theme ?? "system") + 1) % 3]);
  }

  /** @param {string} theme */
  setTheme(theme) {
    const root = document.documentElement;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    localStorage.setItem("merkhet-theme", theme);
    const button = byId("theme");
    button.textContent = { system: "◐", light: "☀", dark: "☾" }[theme] ?? "◐";
    button.title = `Theme: ${theme === "system" ? "as the system" : theme}`;
    button.setAttribute("aria-label", button.title);
  }

  /** Asks which file to open. */
  async open() {
    await this.flush();
    if (this.document?.changed) {
      const choice = await choose("Unsaved changes", `${this.document.name} has unsaved changes.`, ["Save", "Discard", "Cancel"]);
      if (choice === "Save") await this.save();
      else if (choice === "Discard") this.forgetUnsaved();
      else return;
      if (choice === "Save" && this.document.changed) return;
    }
    const opened = await openDialog();
    if (opened) await this.openModel(opened);
  }

  /**
   * Opens a model in a new session.
   * @param {any} what what `POST /api/sessions` takes
   */
  async openModel(what) {
    const kept = what.file === undefined ? null : localStorage.getItem(UNSAVED + what.file);
    let body = what;
    if (kept) {
      const { when, ...text } = JSON.parse(kept);
      const message = `This browser has changes of ${what.file} from ${new Date(when).toLocaleString()} that were not saved.`;
      const choice = await choose("Unsaved changes", message, ["Restore them", "Open the file"]);
      if (choice === "Restore them") body = text;
      else localStorage.removeItem(UNSAVED + what.file);
    }
    const begun = await this.run(request("POST", "/api/sessions", body));
    if (begun) this.begin(begun.session, begun.document);
    return begun;
  }

  /**
   * Begins to work with a session.
   * @param {string} session
   * @param {DocumentSummary} summary
   */
  begin(session, summary) {
    const before = this.api;
    if (before && before.session !== session) void request("DELETE", `/api/sessions/${before.session}`).catch(() => {});
    this.stream?.close();
    this.api = new Api(session);
    this.document = null;
    sessionStorage.setItem(SESSION, session);
    this.listen();
    this.emit("session", summary);
    this.changed(summary);
  }

  /** Listens to the server, and notices its end. */
  listen() {
    const stream = /** @type {Api} */ (this.api).events();
    this.stream = stream;
    for (const name of ["progress", "answer", "done", "missed"]) {
      stream.addEventListener(name, (event) => this.emit(name, JSON.parse(/** @type {MessageEvent} */ (event).data)));
    }
    stream.addEventListener("open", () => this.connected(true));
    stream.addEventListener("end", () => stream.close());
    stream.addEventListener("end", () => void this.lost());
    stream.addEventListener("error", () => {
      this.connected(false);
      // The browser does not try again if the session has ended.
      if (stream.readyState === EventSource.CLOSED) void this.lost();
    });
  }

  /** @param {boolean} is */
  connected(is) {
    const connection = byId("connection");
    connection.textContent = is ? "" : "The server does not answer. Changes are kept in this browser.";
    connection.className = is ? "" : "bad";
  }

  /** Waits for the server, and goes on with the text as it was. */
  async lost() {
    this.connected(false);
    await this.keepUnsaved();
    const lost = this.api;
    for (;;) {
      await new Promise((done) => setTimeout(done, 2000));
      if (this.api !== lost) return;
      const start = await request("GET", "/api/start").catch(() => null);
      if (!start) continue;
      const { name, path } = this.document ?? { name: "model.xml", path: null };
      const kept = localStorage.getItem(UNSAVED + (path ?? name));
      const body = kept ? JSON.parse(kept) : { file: path };
      if (body.file === null) return;
      const begun = await request("POST", "/api/sessions", body).catch(() => null);
      if (!begun) continue;
      this.begin(begun.session, begun.document);
      this.notice("The server is back. Answers and undo steps from before are lost.", false);
      return;
    }
  }

  /** Keeps the text in the browser until it is saved. */
  async keepUnsaved() {
    const { api, document: of } = this;
    if (!api || !of?.changed) return;
    const source = await api.get("source").catch(() => null);
    if (!source) return;
    const { model, queries } = source;
    const kept = { name: of.name, path: of.path, text: model, queries, when: Date.now() };
    try {
      localStorage.setItem(UNSAVED + (of.path ?? of.name), JSON.stringify(kept));
    } catch {
      this.notice("The browser has no room to keep unsaved changes: save often.");
    }
  }

  forgetUnsaved() {
    if (this.document) localStorage.removeItem(UNSAVED + (this.document.path ?? this.document.name));
  }
}

/** Starts the page: with the session of this tab, else with the model of the command line. */
async function main() {
  const studio = new Studio();
  studio.build();
  studio.show(VIEWS.some((view) => `#${view.id}` === location.hash) ? location.hash.slice(1) : "editor");
  const start = await studio.run(request("GET", "/api/start"));
  if (!start) return;
  studio.start = start;
  const session = sessionStorage.getItem(SESSION);
  const summary = session && (await new Api(session).get("document").catch(() => null));
  if (session && summary) studio.begin(session, summary);
  else if (start.model) await studio.openModel({ file: start.model });
  else await studio.open();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

void main();
