/** Integer micro-dollars (M1): the two places where money meets floating point are here. */

export const MICROS_PER_DOLLAR = 1_000_000;

/** µ$ as dollars, for `data` on the wire. */
export function usdOf(micros: number): number {
  return micros / MICROS_PER_DOLLAR;
}

/**
 * µ$ as people read it, with as many digits as matter: two decimals from a dollar up, at most four below
 * (`$0.0192`, `$0.25`), six where four would show next to nothing. The page writes money by the same rule;
 * `cases/words/dollars.json` holds both to it.
 */
export function dollars(micros: number, decimals = decimalsOf(micros)): string {
  if (!Number.isFinite(micros)) return "$?";
  const format = { minimumFractionDigits: 2, maximumFractionDigits: decimals };
  return `${micros < 0 ? "-" : ""}$${(Math.abs(micros) / MICROS_PER_DOLLAR).toLocaleString("en-US", format)}`;
}

function decimalsOf(micros: number): number {
  const size = Math.abs(micros);
  if (size === 0 || size >= MICROS_PER_DOLLAR) return 2;
  return size < 100 ? 6 : 4;
}

/** Two amounts that differ, written so that they also look different: with all six decimals where fewer would hide it. */
export function dollarsApart(one: number, other: number): readonly [string, string] {
  const [first, second] = [dollars(one), dollars(other)];
  return first === second && one !== other ? [dollars(one, 6), dollars(other, 6)] : [first, second];
}

/** A count or amount as a non-negative whole number no larger than JavaScript can hold exactly; rounded up. */
export function wholeUp(value: number): number {
  if (Number.isNaN(value)) return Number.MAX_SAFE_INTEGER;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(value)));
}
