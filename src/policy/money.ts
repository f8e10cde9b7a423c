/** Integer micro-dollars (M1): the two places where money meets floating point are here. */

export const MICROS_PER_DOLLAR = 1_000_000;

/** µ$ as dollars, for `data` on the wire. */
export function usdOf(micros: number): number {
  return micros / MICROS_PER_DOLLAR;
}

/**
 * µ$ as people read it, with as many digits as matter: two decimals from a dollar up; below, four or three
 * significant digits (`$0.0192`, `$0.000456`), never fewer than two decimals (`$0.25`).
 */
export function dollars(micros: number): string {
  const sign = micros < 0 ? "-" : "";
  const value = Math.abs(micros) / MICROS_PER_DOLLAR;
  if (!Number.isFinite(value)) return "$?";
  return `${sign}$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: decimalsOf(value) })}`;
}

function decimalsOf(value: number): number {
  if (value >= 1 || value === 0) return 2;
  const leadingZeros = -Math.floor(Math.log10(value)) - 1;
  return Math.min(6, Math.max(4, leadingZeros + 3));
}

/** A count or amount as a non-negative whole number no larger than JavaScript can hold exactly; rounded up. */
export function wholeUp(value: number): number {
  if (Number.isNaN(value)) return Number.MAX_SAFE_INTEGER;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(value)));
}
