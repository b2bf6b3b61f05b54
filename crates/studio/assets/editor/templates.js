// @ts-check
// The list of templates.

import { ask, choose } from "../dialogs.js";
import { button, element } from "../dom.js";

/** @typedef {import("../editor.js").Editor} Editor */

export class Templates {
  /** @param {HTMLElement} root @param {Editor} editor */
  constructor(root, editor) {
    this.editor = editor;
    this.list = element("div", { class: "templates", role: "listbox", "aria-label": "Templates", id: "templates" });
    this.list.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      editor.chooseTemplate(editor.template + step);
      /** @type {HTMLElement|null} */ (this.list.querySelector("[aria-selected=true]"))?.focus();
    });
    this.parameters = element("input", { id: "parameters", spellcheck: "false", placeholder: "const int id" });
    this.parameters.addEventListener("change", () => void this.setParameters());
    this.edit = element("div", { class: "row" },
      button("Add", () => void this.add(), { title: "Add a template" }),
      button("Rename", () => void this.rename(), { title: "Rename the template" }),
      button("Delete", () => void this.remove(), { title: "Delete the template" }));
    this.declarations = button("Declarations…", () => this.goTo(`/nta/template[${editor.template + 1}]/declaration`));
    this.title = element("h2", {}, "Templates");
    this.label = element("label", { for: "parameters" }, "Parameters");
    root.append(this.title, this.list, this.edit, this.label, this.parameters, this.declarations);
  }

  show() {
    const { editor } = this;
    const format = editor.studio.document?.format ?? "";
    const isXml = format === "xml";
    const isNet = Boolean(editor.studio.document?.net);
    this.title.textContent = isNet ? "Net" : "Templates";
    for (const each of [this.edit, this.label, this.parameters, this.declarations]) each.hidden = isNet;
    this.list.replaceChildren(...editor.drawings.map((drawing, i) => {
      const isChosen = i === editor.template;
      const wrong = [drawing, ...drawing.locations, ...drawing.places, ...drawing.transitions, ...drawing.edges].some((of) => {
        const labels = "labels" in of ? of.labels : [];
        return [...of.problems, ...labels.flatMap((l) => l.problems)].some((p) => p.is_error);
      });
      return element("div", { role: "option", "aria-selected": String(isChosen), tabindex: isChosen ? "0" : "-1", class: wrong ? "wrong" : "",
        onclick: () => editor.chooseTemplate(i) }, drawing.name || (editor.studio.document?.name ?? ""), wrong ? element("span", { class: "bad", "aria-label": "has errors" }, " ●") : "");
    }));
    const drawing = editor.drawing;
    if (document.activeElement !== this.parameters) this.parameters.value = drawing?.parameters ?? "";
    this.parameters.disabled = !drawing || !isXml;
    this.declarations.disabled = !drawing;
    const hasTemplates = ["xml", "xta", "ta"].includes(format);
    [...this.edit.children].forEach((each, i) => {
      // TChecker's processes can be renamed, and are added as text.
      const isPossible = hasTemplates || (format === "tck" && i === 1);
      /** @type {HTMLButtonElement} */ (each).disabled = !isPossible || (!drawing && i > 0);
    });
  }

  /** Shows a text in the view of texts. @param {string} path */
  goTo(path) {
    const { studio } = this.editor;
    const known = studio.document?.fragments.some((fragment) => fragment.path === path);
    studio.goTo({ path: known ? path : "", what: "", from: 0, to: 0, line: 1, column: 1 });
  }

  async add() {
    const names = new Set(this.editor.drawings.map((drawing) => drawing.name));
    let number = names.size + 1;
    while (names.has(`Template${number}`)) number++;
    const name = await ask("Add a template", "Name", `Template${number}`);
    if (name && (await this.editor.make([{ op: "add-template", name }]))) this.editor.chooseTemplate(this.editor.drawings.length - 1);
  }

  async rename() {
    const { editor } = this;
    const old = editor.drawing?.name ?? "";
    const name = await ask("Rename the template", "Name", old);
    if (name && name !== old) await editor.make([{ op: "rename-template", template: editor.template, name }]);
  }

  async remove() {
    const { editor } = this;
    const choice = await choose("Delete the template", `Delete ${editor.drawing?.name} with all its locations and edges?`, ["Delete", "Cancel"]);
    if (choice === "Delete") await editor.make([{ op: "delete-template", template: editor.template }]);
  }

  async setParameters() {
    const { editor } = this;
    const path = `/nta/template[${editor.template + 1}]/parameter`;
    await editor.make([{ op: "text", path, text: this.parameters.value }]);
  }
}
