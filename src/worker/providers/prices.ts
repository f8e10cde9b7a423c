/** The dated price table that comes with Purser, and the person's own prices over it (SPEC M1). */
import type { ModelEntry, Price, PriceBand } from "../../policy/catalog";
import table from "./prices.json";

export const PRICES_AS_OF: string = table.asOf;

/** A model as the table has it; availability and blocks are its provider's to say. */
export type KnownModel = Pick<ModelEntry, "id" | "aliases" | "provider" | "cheapness" | "speed" | "intelligence"> & {
  readonly price: Price;
};

/** What a person may type for a model, µ$ per million tokens. */
export interface OwnPrice {
  readonly inputMicros: number;
  readonly outputMicros: number;
  readonly cacheReadMicros: number;
  readonly cacheWriteMicros: number;
}

/** Above every real price: 10,000 dollars for a million tokens. */
const PRICE_MAX_MICROS = 10_000_000_000;

export const KNOWN_MODELS: readonly KnownModel[] = table.models.map((row) => ({
  id: row.id,
  aliases: [...row.aliases, ...spellingsOf(row.id)],
  provider: row.provider,
  cheapness: row.cheapness,
  speed: row.speed,
  intelligence: row.intelligence,
  price: { bands: row.bands.map(bandOf), asOf: table.asOf, source: "table" },
}));

/** How Claude models are also written: with a dot, as the latest, and behind their vendor's name. */
function spellingsOf(id: string): string[] {
  if (!id.startsWith("claude-")) return [];
  const dotted = id.replace(/-(\d+)-(\d+)$/, "-$1.$2");
  return [`${id}-latest`, dotted, `anthropic/${id}`, `anthropic/${dotted}`];
}

function bandOf(row: (typeof table.models)[number]["bands"][number]): PriceBand {
  return {
    upToInputTokens: row.upToInputTokens,
    inputMicros: micros(row.input),
    outputMicros: micros(row.output),
    cacheReadMicros: micros(row.cacheRead),
    cacheWriteMicros: micros(row.cacheWrite),
  };
}

function micros(usd: number): number {
  return Math.round(usd * 1_000_000);
}

/** What is wrong with a price a person gave; null where nothing is. Zero is a price: free, said explicitly. */
export function ownPriceProblem(price: OwnPrice): string | null {
  const kinds = [
    ["Input", price.inputMicros],
    ["Output", price.outputMicros],
    ["Cache read", price.cacheReadMicros],
    ["Cache write", price.cacheWriteMicros],
  ] as const;
  for (const [kind, value] of kinds) {
    if (!Number.isSafeInteger(value) || value < 0) return `${kind}: give dollars per million tokens, 0 or more`;
    if (value > PRICE_MAX_MICROS) return `${kind}: more than $10,000 per million tokens cannot be right`;
  }
  return null;
}

/** The person's prices by model, each with the day it was given. */
export type OwnPrices = Readonly<Record<string, { readonly price: OwnPrice; readonly asOf: string }>>;

/** One open band: an own price holds for prompts of every size. */
export function priceOfOwn({ price, asOf }: OwnPrices[string]): Price {
  return { bands: [{ upToInputTokens: null, ...price }], asOf, source: "override" };
}
