// @ts-check
/** @typedef {import("./app.js").Studio} Studio */

/** The view "Queries". */
export class Queries {
  /** @param {HTMLElement} root @param {Studio} studio */
  constructor(root, studio) {
    this.root = root;
    this.studio = studio;
  }

  /** The view is shown. */
  shown() {}

  /** The view is hidden. */
  hidden() {}
}
