// @ts-check
// Adding and changing queries.

import { Refusal } from "./api.js";
import { dialog } from "./dialogs.js";
import { button, element } from "./dom.js";

/**
 * Asks for the text of a query and its comment, and puts it into the document.
 * @param {import("./app.js").Studio} studio
 * @param {number|null} number the query to change, or null for a new one
 */
export async function editQuery(studio, number) {
  await studio.flush();
  const entry = number === null ? null : studio.document?.queries[number];
  await dialog(entry ? "Edit query" : "Add query", (made) => {
    const text = element("textarea", { id: "query-text", rows: "3", cols: "60", spellcheck: "false", autofocus: true, class: "mono" });
    text.value = entry?.text ?? "";
    const comment = element("textarea", { id: "query-comment", rows: "2", cols: "60" });
    comment.value = entry?.comment.trim() ?? "";
    const wrong = element("p", { class: "bad", role: "alert" });
    const form = element("form", { method: "dialog" },
      element("label", { for: "query-text" }, "Query, such as E<> P.goal or A[] not deadlock"), text,
      element("label", { for: "query-comment" }, "Comment"), comment, wrong,
      element("p", { class: "answers" }, element("button", { type: "submit", class: "primary" }, "OK"), button("Cancel", () => made.close(""))));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const edit = number === null ? { add: { text: text.value, comment: comment.value } } : { set: { number, text: text.value, comment: comment.value } };
      try {
        const summary = await studio.api?.post("queries/edit", { revision: studio.document?.revision, edit });
        made.close("ok");
        studio.changed(summary);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        wrong.textContent = error.message;
      }
    });
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.ctrlKey) form.requestSubmit();
    });
    return [form];
  });
}
