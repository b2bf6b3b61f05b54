// @ts-check
// Exact numbers for delays: fractions of integers of any size.

/**
 * A fraction in lowest terms with a positive denominator.
 * @typedef {{n: bigint, d: bigint}} Fraction
 */

/**
 * An interval of delays, as the server describes it.
 * @typedef {{from: string, from_included: boolean, to: string|null, to_included: boolean}} DelayRange
 */

/** About as many delays of an interval can be chosen by the slider. */
const TICKS = 60n;

/** @param {bigint} n @param {bigint} d @returns {Fraction} */
export function fraction(n, d) {
  let [a, b] = [n < 0n ? -n : n, d];
  while (b) [a, b] = [b, a % b];
  const g = a || 1n;
  return { n: n / g, d: d / g };
}

/**
 * Reads `3`, `7/2` or `3.5`.
 * @param {string} text
 * @returns {Fraction|null}
 */
export function parse(text) {
  const [, whole, over, point] = /^\s*(\d+)(?:\s*\/\s*(\d+)|\.(\d+))?\s*$/.exec(text) ?? [];
  if (whole === undefined) return null;
  if (over !== undefined) return BigInt(over) === 0n ? null : fraction(BigInt(whole), BigInt(over));
  if (point !== undefined) return fraction(BigInt(whole + point), 10n ** BigInt(point.length));
  return { n: BigInt(whole), d: 1n };
}

/** @param {Fraction} a */
export function show(a) {
  return a.d === 1n ? `${a.n}` : `${a.n}/${a.d}`;
}

/** @param {Fraction} a @param {Fraction} b */
export function compare(a, b) {
  const [x, y] = [a.n * b.d, b.n * a.d];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** @param {Fraction} a @param {Fraction} b */
export function plus(a, b) {
  return fraction(a.n * b.d + b.n * a.d, a.d * b.d);
}

/** @param {Fraction} a @param {Fraction} b */
function minus(a, b) {
  return fraction(a.n * b.d - b.n * a.d, a.d * b.d);
}

/**
 * Chooses the distance of the delays that a slider offers: 1, 2, 5, 10, … or 1/2, 1/4, ….
 * @param {Fraction} length
 */
function unit(length) {
  let step = fraction(1n, 1n);
  if (compare(length, fraction(TICKS, 1n)) > 0) {
    const factors = [2n, 5n, 10n];
    for (let power = 1n; ; power *= 10n) {
      for (const factor of factors) {
        step = fraction(factor * power, 1n);
        if (compare(length, fraction(step.n * TICKS, 1n)) <= 0) return step;
      }
    }
  }
  while (compare(fraction(length.n * step.d * 2n, length.d * step.n), fraction(TICKS / 2n, 1n)) <= 0) {
    step = fraction(step.n, step.d * 2n);
  }
  return step;
}

/**
 * Returns delays of some intervals in their order: the ends that belong to them, and round numbers between them.
 * Unbounded intervals end `horizon` after their start.
 * @param {DelayRange[]} ranges
 * @param {number} horizon
 * @returns {Fraction[]}
 */
export function ticks(ranges, horizon) {
  /** @type {Fraction[]} */
  const found = [];
  for (const range of ranges) {
    const from = parse(range.from) ?? { n: 0n, d: 1n };
    const to = range.to === null ? plus(from, fraction(BigInt(Math.max(horizon, 0)) + 1n, 1n)) : (parse(range.to) ?? from);
    const length = minus(to, from);
    if (range.from_included) found.push(from);
    if (length.n === 0n) continue;
    const step = unit(length);
    const before = found.length;
    // The first multiple of the step after the start.
    const first = (from.n * step.d) / (from.d * step.n) + 1n;
    for (let i = first; ; i += 1n) {
      const at = fraction(i * step.n, step.d);
      if (compare(at, to) >= 0) break;
      found.push(at);
    }
    if (found.length === before && !range.from_included && !(range.to !== null && range.to_included)) {
      found.push(fraction(from.n * to.d + to.n * from.d, 2n * from.d * to.d));
    }
    if (range.to === null || range.to_included) found.push(to);
  }
  return found;
}

/**
 * Describes intervals: `now`, `at any time`, `after 2..5`, `after >3`.
 * @param {DelayRange[]} ranges
 */
export function words(ranges) {
  const [only] = ranges;
  if (ranges.length === 1 && only.from === "0" && only.from_included) {
    if (only.to === null) return "at any time";
    if (only.to === "0") return "now";
  }
  const one = (/** @type {DelayRange} */ { from, from_included, to, to_included }) => {
    if (to === null) return `>${from_included ? "=" : ""}${from}`;
    if (to === from) return to;
    return `${from_included ? "" : ">"}${from}..${to_included ? "" : "<"}${to}`;
  };
  return `after ${ranges.map(one).join(" or ")}`;
}
