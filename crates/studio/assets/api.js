// @ts-check
// Requests to the server. Every answer is JSON; an error is a sentence.

/** What a refused request throws. */
export class Refusal extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.error ?? body?.message ?? "the server does not answer");
    this.status = status;
    this.body = body;
  }
}

/**
 * @typedef {Object} Place
 * @property {string} path @property {string} what @property {number} from @property {number} to
 * @property {number} line @property {number} column
 */
/**
 * @typedef {Object} Problem
 * @property {"error"|"warning"} severity @property {string} code @property {string} message
 * @property {Place|null} at @property {string} label @property {{message: string, at: Place|null}[]} notes
 * @property {string[]} help
 */
/**
 * @typedef {Object} Fragment
 * @property {string} path @property {string} name @property {number|null} template @property {boolean} exists
 */
/**
 * @typedef {Object} QueryEntry
 * @property {string} text @property {string} comment @property {string} name @property {Place|null} at
 * @property {string|null} expect @property {string[]} recorded @property {Problem[]} problems
 */
/**
 * What `GET document` and every change return.
 * @typedef {Object} DocumentSummary
 * @property {string} name @property {string|null} path @property {string} format @property {number} revision
 * @property {boolean} changed @property {boolean} undo @property {boolean} redo @property {Problem[]} problems
 * @property {boolean} valid @property {Fragment[]} fragments @property {string[]} templates @property {boolean} net
 * @property {QueryEntry[]} queries @property {string|null} beside
 */

/**
 * Sends a request to the server.
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 * @returns {Promise<any>}
 */
export async function request(method, path, body) {
  /** @type {RequestInit} */
  const init = { method };
  if (method === "POST") {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body ?? null);
  }
  let response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Refusal(0, { error: "the server does not answer" });
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

/** The requests of one session. */
export class Api {
  /** @param {string} session */
  constructor(session) {
    this.session = session;
  }

  /** @param {string} path */
  address(path) {
    return `/api/sessions/${this.session}/${path}`;
  }

  /** @param {string} path @returns {Promise<any>} */
  get(path) {
    return request("GET", this.address(path));
  }

  /** @param {string} path @param {any} [body] @returns {Promise<any>} */
  post(path, body) {
    return request("POST", this.address(path), body);
  }

  /** @param {string} path @returns {Promise<any>} */
  remove(path) {
    return request("DELETE", this.address(path));
  }

  /** Begins to listen. @returns {EventSource} */
  events() {
    return new EventSource(this.address("events"));
  }
}
