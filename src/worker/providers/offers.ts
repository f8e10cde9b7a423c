/** What each provider offers right now: models with price and availability, and its state for the screen. */
import type { Availability, ModelEntry, Price } from "../../policy/catalog";
import type { Block } from "../../policy/request";
import type { Backoff } from "./backoff";
import type { Endpoint } from "./endpoints";
import type { Keyring, KeyState } from "./keys";
import { KNOWN_MODELS, type KnownModel, type OwnPrices, priceOfOwn } from "./prices";

/** As the screen shows it; no key ever comes out. */
export interface ProviderStatus {
  readonly id: string;
  readonly label: string;
  readonly kind: "embedded" | "anthropic" | "openai_compatible";
  readonly state: "ready" | "no_key" | "backing_off" | "off";
  readonly backoffUntilAt: number | null;
  readonly baseUrl: string | null;
  readonly key: KeyState;
  readonly models: readonly string[];
}

/** What the offers depend on, as it is at the moment of asking. */
export interface Held {
  readonly keyring: Keyring;
  readonly backoff: Backoff;
  readonly endpoint: (provider: string) => Endpoint;
  readonly ownPrices: () => OwnPrices;
  readonly now: () => number;
}

interface Kind extends Pick<ProviderStatus, "id" | "label" | "kind"> {
  readonly accepts: readonly Block["type"][];
}

const KINDS: readonly Kind[] = [
  {
    id: "local",
    label: "Built in: extractive summaries, not a language model",
    kind: "embedded",
    accepts: ["text"],
  },
  { id: "anthropic", label: "Anthropic", kind: "anthropic", accepts: ["text", "image", "tool_use", "tool_result"] },
  {
    id: "openai",
    label: "OpenAI-compatible",
    kind: "openai_compatible",
    accepts: ["text", "image", "audio", "tool_use", "tool_result"],
  },
];

export function statuses(held: Held): readonly ProviderStatus[] {
  return KINDS.map(({ id, label, kind }) => ({
    id,
    label,
    kind,
    state: stateOf(held, id),
    backoffUntilAt: held.backoff.until(id, held.now()),
    baseUrl: held.endpoint(id).baseUrl,
    key: held.keyring.state(id),
    models: offersOf(held, id).map((model) => model.id),
  }));
}

export function offersOf(held: Held, provider: string): readonly ModelEntry[] {
  const listed = held.endpoint("openai").models;
  const known =
    provider === "openai" ? listed.map(unknownModel) : KNOWN_MODELS.filter((model) => model.provider === provider);
  const availability = availabilityOf(held, provider);
  return known.map((model) => ({
    ...model,
    // A name that is itself on offer elsewhere means that one.
    aliases: model.aliases.filter((alias) => !listed.includes(alias)),
    price: priceOf(held, model.id),
    availability,
    accepts: KINDS.find(({ id }) => id === provider)?.accepts ?? [],
  }));
}

function stateOf(held: Held, id: string): ProviderStatus["state"] {
  if (id === "anthropic" && held.keyring.get(id) === null) return "no_key";
  const { baseUrl, models } = held.endpoint(id);
  if (id === "openai" && (baseUrl === null || models.length === 0)) return "off";
  return held.backoff.until(id, held.now()) === null ? "ready" : "backing_off";
}

function availabilityOf(held: Held, id: string): Availability {
  const state = stateOf(held, id);
  const untilAt = held.backoff.until(id, held.now());
  if (state === "backing_off" && untilAt !== null) return { state, untilAt };
  return { state: state === "ready" ? "ready" : "not_configured" };
}

/** Null for a model nobody has priced: refused, not free (M1). */
function priceOf(held: Held, model: string): Price | null {
  const own = held.ownPrices();
  const mine = Object.hasOwn(own, model) ? own[model] : undefined;
  if (mine !== undefined) return priceOfOwn(mine);
  return KNOWN_MODELS.find((known) => known.id === model)?.price ?? null;
}

/** Nothing is known of a model on the person's own list but its name; it stands in the middle of every ranking. */
function unknownModel(id: string): Omit<KnownModel, "price"> {
  return { id, aliases: [], provider: "openai", cheapness: 0.5, speed: 0.5, intelligence: 0.5 };
}
