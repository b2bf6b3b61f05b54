// @ts-check
// Points, lines and boxes of a drawing. Nothing here knows the page.

/** @typedef {[number, number]} Point */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/** The radius of a location, as in the pictures of the command line. */
export const RADIUS = 12;
/** The radius of a branchpoint. */
export const BRANCHPOINT = 4;
/** The length of an arrow head. */
const ARROW = 9;
/** The radius of the circle at the end of an arc that forbids. */
const CIRCLE = 4;
/** The radius of the corners of lines. */
const ROUND = 9;

/** @param {Point} a @param {Point} b @returns {Point} */
export const plus = (a, b) => [a[0] + b[0], a[1] + b[1]];
/** @param {Point} a @param {Point} b @returns {Point} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
/** @param {Point} a @param {number} k @returns {Point} */
export const times = (a, k) => [a[0] * k, a[1] * k];
/** @param {Point} a */
export const length = (a) => Math.hypot(a[0], a[1]);
/** @param {Point} a @returns {Point} */
export const rounded = (a) => [Math.round(a[0]), Math.round(a[1])];

/** @param {Point} a @returns {Point} */
export function unit(a) {
  const size = length(a);
  return size < 1e-9 ? [1, 0] : [a[0] / size, a[1] / size];
}

/**
 * Clips a path from centre to centre to the circles at its ends.
 * @param {Point[]} path @param {number} from @param {number} to
 * @returns {Point[]}
 */
export function clipped(path, from, to) {
  const [first, last] = [path[0], path[path.length - 1]];
  let inner = path.slice(1, -1);
  // Bends inside a circle are invisible.
  const start = inner.findIndex((p) => length(minus(p, first)) > from);
  inner = start < 0 ? [] : inner.slice(start);
  while (inner.length && length(minus(inner[inner.length - 1], last)) <= to) inner.pop();
  const [next, before] = [inner[0] ?? last, inner[inner.length - 1] ?? first];
  return [plus(first, times(unit(minus(next, first)), from)), ...inner, plus(last, times(unit(minus(before, last)), to))];
}

/**
 * Returns the path data of a line with rounded corners and an arrow head.
 * @param {Point[]} line
 * @returns {{line: string, head: string}}
 */
export function arrow(line) {
  const tip = line[line.length - 1];
  const before = line[line.length - 2] ?? tip;
  const direction = unit(minus(tip, before));
  const room = Math.min(ARROW - 2, length(minus(tip, before)));
  const shown = [...line.slice(0, -1), minus(tip, times(direction, room))];
  const back = minus(tip, times(direction, ARROW));
  /** @type {Point} */
  const side = [-direction[1] * 3.6, direction[0] * 3.6];
  const notch = minus(tip, times(direction, ARROW - 2));
  return { line: smooth(shown), head: `M${at(tip)}L${at(plus(back, side))}L${at(notch)}L${at(minus(back, side))}Z` };
}

/**
 * Returns the path data of a line with a small circle at its end, which forbids.
 * @param {Point[]} line
 * @returns {{line: string, head: string}}
 */
export function stop(line) {
  const tip = line[line.length - 1];
  const before = line[line.length - 2] ?? tip;
  const direction = unit(minus(tip, before));
  const centre = minus(tip, times(direction, CIRCLE));
  const shown = [...line.slice(0, -1), minus(tip, times(direction, 2 * CIRCLE))];
  const ring = `a${CIRCLE} ${CIRCLE} 0 1 0`;
  return { line: smooth(shown), head: `M${at(minus(centre, [CIRCLE, 0]))}${ring} ${2 * CIRCLE} 0${ring} ${-2 * CIRCLE} 0Z` };
}

/** @param {Point[]} points */
function smooth(points) {
  let data = `M${at(points[0])}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [before, corner, after] = [minus(points[i - 1], points[i]), points[i], minus(points[i + 1], points[i])];
    const r = Math.min(ROUND, length(before) / 2, length(after) / 2);
    data += `L${at(plus(corner, times(unit(before), r)))}Q${at(corner)} ${at(plus(corner, times(unit(after), r)))}`;
  }
  return `${data}L${at(points[points.length - 1])}`;
}

/** @param {Point} p */
const at = (p) => `${tenths(p[0])} ${tenths(p[1])}`;
/** @param {number} n */
const tenths = (n) => Math.round(n * 10) / 10;

/**
 * Returns the number of the segment of a path that is nearest to a point.
 * @param {Point[]} path @param {Point} p
 */
export function nearestSegment(path, p) {
  let [best, distance] = [0, Infinity];
  for (let i = 0; i + 1 < path.length; i++) {
    const along = minus(path[i + 1], path[i]);
    const square = along[0] ** 2 + along[1] ** 2;
    const d = minus(p, path[i]);
    const share = square === 0 ? 0 : Math.max(0, Math.min(1, (d[0] * along[0] + d[1] * along[1]) / square));
    const away = length(minus(p, plus(path[i], times(along, share))));
    if (away < distance) [best, distance] = [i, away];
  }
  return best;
}

/** @param {Point} a @param {Point} b @returns {Box} */
export function boxOf(a, b) {
  return { left: Math.min(a[0], b[0]), top: Math.min(a[1], b[1]), right: Math.max(a[0], b[0]), bottom: Math.max(a[1], b[1]) };
}

/** @param {Box} box @param {Point} p */
export function contains(box, p) {
  return box.left <= p[0] && p[0] <= box.right && box.top <= p[1] && p[1] <= box.bottom;
}
