// @ts-check
// Questions to the user, in dialogs that the keyboard can answer.

import { request } from "./api.js";
import { button, bytes, element } from "./dom.js";

/** A model for those who begin. */
const EMPTY = `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
<nta>
	<declaration>clock x;
</declaration>
	<template>
		<name>Lamp</name>
		<location id="id0" x="0" y="0">
			<name x="-10" y="-34">off</name>
		</location>
		<location id="id1" x="170" y="0">
			<name x="160" y="-34">on</name>
			<label kind="invariant" x="160" y="17">x &lt;= 5</label>
		</location>
		<init ref="id0"/>
		<transition>
			<source ref="id0"/>
			<target ref="id1"/>
			<label kind="assignment" x="60" y="-20">x = 0</label>
		</transition>
		<transition>
			<source ref="id1"/>
			<target ref="id0"/>
			<label kind="guard" x="60" y="60">x &gt;= 2</label>
			<nail x="85" y="51"/>
		</transition>
	</template>
	<system>system Lamp;
</system>
	<queries>
		<query>
			<formula>E&lt;&gt; Lamp.on and x &gt; 4</formula>
			<comment>The lamp can burn for long.</comment>
		</query>
		<query>
			<formula>A[] Lamp.on imply x &lt;= 5</formula>
			<comment>It never burns for more than 5 units of time.</comment>
		</query>
	</queries>
</nta>
`;

/**
 * Shows a dialog until it is closed. Returns its value; empty if it was cancelled.
 * @param {string} title
 * @param {(dialog: HTMLDialogElement) => (Node|string)[]} fill
 * @returns {Promise<string>}
 */
export function dialog(title, fill) {
  const made = element("dialog", { "aria-labelledby": "dialog-title" }, element("h2", { id: "dialog-title" }, title));
  made.append(...fill(made));
  document.body.append(made);
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  return new Promise((done) => {
    made.addEventListener("close", () => {
      made.remove();
      before?.focus();
      done(made.returnValue);
    });
    made.showModal();
  });
}

/**
 * Asks for one of several answers.
 * @param {string} title @param {string} message @param {string[]} answers
 */
export function choose(title, message, answers) {
  return dialog(title, (made) => [
    element("p", {}, message),
    element("p", { class: "answers" }, ...answers.map((answer) => button(answer, () => made.close(answer)))),
  ]);
}

/**
 * Asks for a text.
 * @param {string} title @param {string} label @param {string} value
 */
export function ask(title, label, value) {
  return dialog(title, (made) => {
    const field = element("input", { id: "dialog-field", value, autofocus: true, size: "40", spellcheck: "false" });
    // Another text replaces it at once.
    field.addEventListener("focus", () => field.select());
    const form = element("form", { method: "dialog" }, element("label", { for: "dialog-field" }, label), field,
      element("p", { class: "answers" }, element("button", { type: "submit" }, "OK"), button("Cancel", () => made.close(""))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      made.close(field.value.trim());
    });
    return [form];
  });
}

/** Where text is kept in the browser until it is saved, by path. */
export const UNSAVED = "merkhet-unsaved:";

/**
 * Returns the texts that the browser keeps.
 * @returns {{name: string, path: string|null, text: string, queries: string|null, when: number}[]}
 */
function keptTexts() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(UNSAVED));
  return keys.map((key) => JSON.parse(localStorage.getItem(key) ?? "null")).filter(Boolean);
}

/**
 * Asks which model to open. Returns what `POST /api/sessions` takes, or null.
 * @returns {Promise<any>}
 */
export async function openDialog() {
  /** @type {{path: string, bytes: number}[]} */
  const files = await request("GET", "/api/files").catch(() => []);
  /** @type {any} */
  let chosen = null;
  await dialog("Open a model", (made) => {
    const pick = (/** @type {any} */ what) => {
      chosen = what;
      made.close("picked");
    };
    const list = element("ul", { class: "files" }, ...files.map((file) =>
      element("li", {}, button(file.path, () => pick({ file: file.path })), element("small", {}, bytes(file.bytes)))));
    const unsaved = keptTexts().filter((kept) => kept.path === null).map((kept) =>
      element("li", {}, button(`${kept.name}, never saved`, () => pick(kept)), element("small", {}, new Date(kept.when).toLocaleString())));
    list.append(...unsaved);
    const filter = element("input", { type: "search", "aria-label": "Filter", placeholder: "Filter", autofocus: true });
    filter.addEventListener("input", () => {
      for (const item of list.children) {
        /** @type {HTMLElement} */ (item).hidden = !item.textContent?.toLowerCase().includes(filter.value.toLowerCase());
      }
    });
    const local = element("input", { type: "file", id: "local-file", accept: ".xml,.xta,.ta,.tck,.net,.ndr,.pnml,.tapn" });
    local.addEventListener("change", async () => {
      const file = local.files?.[0];
      if (file) pick({ name: file.name, text: await file.text(), queries: null, path: null });
    });
    return [
      files.length ? filter : element("p", {}, "There are no models in the folder that is served."),
      list,
      element("p", {}, element("label", { for: "local-file" }, "From this computer: "), local),
      element("p", { class: "answers" },
        button("New model", () => pick({ name: "new.xml", text: EMPTY, queries: null, path: null })),
        button("Cancel", () => made.close(""))),
    ];
  });
  return chosen;
}
