// Makes the traces of a report playable.

import { Player } from "./player.js";

/**
 * Finds the drawing of a template, or of the net, in the report.
 * @param {number | null} template
 * @returns {SVGSVGElement | null}
 */
function findDrawing(template) {
  const which = template === null ? "net" : String(template);
  return document.querySelector(`#model [data-drawing="${which}"] svg`);
}

/**
 * Goes to the step that the address names: `#query-2-step-5`.
 * @param {Map<string, Player>} players
 */
function follow(players) {
  const [, query, step] = /^#(query-\d+)-step-(\d+)$/.exec(location.hash) ?? [];
  const player = players.get(query);
  if (!player) return;
  player.go(Number(step));
  player.root.scrollIntoView();
}

/** @type {Map<string, Player>} */
const players = new Map();
for (const root of document.querySelectorAll(".trace")) {
  const data = root.querySelector("script[type='application/json']")?.textContent;
  const query = root.closest(".query")?.id;
  if (!(root instanceof HTMLElement) || !data || !query) continue;
  const player = new Player(root, JSON.parse(data), findDrawing);
  players.set(query, player);
  player.onstep = (step) => history.replaceState(null, "", `#${query}-step-${step}`);
}
window.addEventListener("hashchange", () => follow(players));
// A printed report has everything.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
follow(players);
