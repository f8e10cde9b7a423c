/**
 * A schema with its references put in place. A validator that follows references can be made to work for ever with a
 * few of them: two that lead back to where they stand double with every level of the value. Put in place they show
 * their size, and the size can be bounded.
 */
import { isMembers, type Members } from "./frame";

class TooLarge extends Error {}
class Outside extends Error {}

/** Keywords whose members are named by the schema's author, so that none of them is a keyword. */
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
/** Of no use once references are in place; an address that stands in two places would be an error. */
const DROPPED = new Set(["$defs", "definitions", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"]);
/** References that depend on how the validator came by. */
const WANDERING = ["$dynamicRef", "$recursiveRef"];

/** Keywords whose schemas are for what is one level further in. */
const INWARD = new Set(["properties", "additionalProperties", "items", "prefixItems", "additionalItems"]);
/** References that lead from one to the next before the value is entered one level further. */
const MAX_HOPS = 8;

/** Where in schema and value the walk is. */
interface Place {
  readonly level: number;
  /** References followed on this level. */
  readonly hops: number;
  readonly isMap: boolean;
}

/**
 * The same schema without references, or why there is none: one leads out of it, or it has more than `max` parts.
 *
 * @param depth levels of the value: what the schema says of further ones is left out
 */
export function expanded(schema: unknown, depth: number, max: number): Members | "too large" | "outside" {
  let left = max;
  const put = (value: unknown, place: Place): unknown => {
    left -= 1;
    if (left < 0) throw new TooLarge();
    if (Array.isArray(value)) return value.map((item: unknown) => put(item, { ...place, isMap: false }));
    if (!isMembers(value)) return value;
    if (place.isMap || typeof value.$ref !== "string") return members(value, place);
    const target = targetOf(schema, value.$ref);
    if (target === undefined) throw new Outside();
    if (place.hops === MAX_HOPS) throw new TooLarge();
    const { $ref: _, ...beside } = members(value, place);
    const there = put(target, { ...place, hops: place.hops + 1 });
    return { ...beside, allOf: [there, ...(Array.isArray(beside.allOf) ? (beside.allOf as unknown[]) : [])] };
  };
  const members = (value: Members, { level, hops, isMap }: Place): Members => {
    const all = Object.entries(value);
    if (isMap) return Object.fromEntries(all.map(([name, inner]) => [name, put(inner, { level, hops, isMap: false })]));
    if (WANDERING.some((key) => Object.hasOwn(value, key))) throw new Outside();
    const kept = all.filter(([key]) => !DROPPED.has(key) && !(INWARD.has(key) && level >= depth));
    const inside = (key: string): Place => {
      const isMapInside = MAPS.has(key);
      return INWARD.has(key) ? { level: level + 1, hops: 0, isMap: isMapInside } : { level, hops, isMap: isMapInside };
    };
    return Object.fromEntries(kept.map(([key, inner]) => [key, put(inner, inside(key))]));
  };
  try {
    const whole = put(schema, { level: 1, hops: 0, isMap: false });
    return isMembers(whole) ? whole : {};
  } catch (error) {
    if (error instanceof TooLarge) return "too large";
    if (error instanceof Outside) return "outside";
    throw error;
  }
}

/** Where a reference within the document leads; undefined where it leads nowhere, or out of it. */
function targetOf(root: unknown, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = at;
    at =
      typeof holder === "object" && holder !== null && Object.hasOwn(holder, key)
        ? (holder as Members)[key]
        : undefined;
  }
  return at;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** How many parts a value has, itself included, and on how many levels; counting stops at `max` parts. */
export function sizeOf(value: unknown, max: number): { readonly parts: number; readonly depth: number } {
  let level: readonly unknown[] = [value];
  let parts = 0;
  let depth = 0;
  while (level.length > 0 && parts < max) {
    parts += level.length;
    depth += 1;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? (Object.values(one) as unknown[]) : []));
  }
  return { parts, depth };
}
