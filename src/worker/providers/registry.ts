/** All providers as one: what can be run, at which price, with which key, and when (R1, R7, M1). */
import type { Availability, Catalog, ModelEntry, Price } from "../../policy/catalog";
import type { Block } from "../../policy/request";
import { ANTHROPIC_URL, createAnthropic } from "./anthropic";
import { createBackoff } from "./backoff";
import { createKeyring, type KeyState, keyProblem, type SettingsStore } from "./keys";
import { createLocal } from "./local";
import { createOpenAiCompatible } from "./openai";
import { KNOWN_MODELS, type KnownModel, type OwnPrice, ownPriceProblem, PRICES_AS_OF, priceOfOwn } from "./prices";
import type { Provider, ProviderFailure } from "./provider";

export interface ProvidersDeps {
  readonly settings: SettingsStore;
  readonly now: () => number;
  /** Views or prices are others than before; not called while it is being created. */
  readonly onChange?: () => void;
  readonly fetch?: typeof fetch;
}

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

export interface ModelPrice {
  readonly model: string;
  readonly provider: string;
  readonly price: Price | null;
}

/** Acts of the person answer what is wrong in one sentence, or null where it was done and stored. */
export interface ProviderRegistry {
  /** Reads the settings again, after another tab changed them. */
  load(): Promise<void>;
  providers(): readonly Provider[];
  catalog(): Catalog;
  /** The provider of a model on offer, by id or alias, whether it can run now or not. */
  forModel(model: string): Provider | undefined;
  views(): readonly ProviderStatus[];
  prices(): readonly ModelPrice[];
  setKey(provider: string, key: string, remember: boolean): Promise<string | null>;
  clearKey(provider: string): Promise<string | null>;
  /** "" goes back to the provider's own address, or switches it off where it has none. `models` is ignored for Anthropic. */
  setBaseUrl(provider: string, url: string, models: readonly string[]): Promise<string | null>;
  /** Null goes back to the table. */
  setPrice(model: string, price: OwnPrice | null): Promise<string | null>;
  /** After a 429 or 529 everything on that provider's key backs off; other failures change nothing. */
  noteFailure(provider: string, failure: ProviderFailure): void;
}

interface Endpoint {
  readonly baseUrl: string | null;
  readonly models: readonly string[];
}

type OwnPrices = Readonly<Record<string, { readonly price: OwnPrice; readonly asOf: string }>>;

const PRICES_ROW = "prices";
const NOWHERE: Endpoint = { baseUrl: null, models: [] };

const ACCEPTS: Readonly<Record<string, readonly Block["type"][]>> = {
  local: ["text"],
  anthropic: ["text", "image", "tool_use", "tool_result"],
  openai: ["text", "image", "audio", "tool_use", "tool_result"],
};

const LABELS = [
  { id: "local", label: "Built in: extractive summaries, not a language model", kind: "embedded" },
  { id: "anthropic", label: "Anthropic", kind: "anthropic" },
  { id: "openai", label: "OpenAI-compatible", kind: "openai_compatible" },
] as const;

/** Providers with a key and an address of their own. */
const REMOTE: readonly string[] = ["anthropic", "openai"];

export async function createProviders(deps: ProvidersDeps): Promise<ProviderRegistry> {
  const { settings, now } = deps;
  const fetcher: typeof fetch = deps.fetch ?? ((input, init) => fetch(input, init));
  const keyring = createKeyring(settings, crypto.subtle);
  const backoff = createBackoff();
  const endpoints = new Map<string, Endpoint>();
  let own: OwnPrices = {};

  async function load(): Promise<void> {
    for (const id of REMOTE) endpoints.set(id, (await settings.get<Endpoint>(endpointRow(id))) ?? NOWHERE);
    own = (await settings.get<OwnPrices>(PRICES_ROW)) ?? {};
    await keyring.load(REMOTE);
  }
  await load();

  const endpoint = (id: string) => endpoints.get(id) ?? NOWHERE;
  const common = { fetch: fetcher, now };
  const adapters: readonly Provider[] = [
    createLocal(() => entriesOf("local")),
    createAnthropic({
      ...common,
      models: () => entriesOf("anthropic"),
      key: () => keyring.get("anthropic"),
      baseUrl: () => endpoint("anthropic").baseUrl ?? ANTHROPIC_URL,
    }),
    createOpenAiCompatible({
      ...common,
      models: () => entriesOf("openai"),
      key: () => keyring.get("openai"),
      baseUrl: () => endpoint("openai").baseUrl,
    }),
  ];

  function stateOf(id: string): ProviderStatus["state"] {
    if (id === "anthropic" && keyring.get(id) === null) return "no_key";
    if (id === "openai" && (endpoint(id).baseUrl === null || endpoint(id).models.length === 0)) return "off";
    return backoff.until(id, now()) === null ? "ready" : "backing_off";
  }

  function availabilityOf(id: string): Availability {
    const state = stateOf(id);
    const untilAt = backoff.until(id, now());
    if (state === "backing_off" && untilAt !== null) return { state, untilAt };
    return { state: state === "ready" ? "ready" : "not_configured" };
  }

  function priceOf(model: string): Price | null {
    const mine = Object.hasOwn(own, model) ? own[model] : undefined;
    if (mine !== undefined) return priceOfOwn(mine.price, mine.asOf);
    return KNOWN_MODELS.find((known) => known.id === model)?.price ?? null;
  }

  function entriesOf(provider: string): readonly ModelEntry[] {
    const known = provider === "openai" ? endpoint(provider).models.map(unknownModel) : knownOf(provider);
    const listed = new Set(endpoint("openai").models);
    const availability = availabilityOf(provider);
    return known.map((model) => ({
      ...model,
      // A name that is itself on offer elsewhere means that one.
      aliases: model.aliases.filter((alias) => !listed.has(alias)),
      provider,
      price: priceOf(model.id),
      availability,
      accepts: ACCEPTS[provider] ?? [],
    }));
  }

  const entries = () => adapters.flatMap((adapter) => adapter.models());
  const changed = () => deps.onChange?.();

  /** Runs one stored change; what storage refuses is said, not thrown. */
  async function stored(change: () => Promise<void>): Promise<string | null> {
    try {
      await change();
      return null;
    } catch (error) {
      return `Storage did not take it: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      changed();
    }
  }

  return {
    async load() {
      await load();
      changed();
    },
    providers: () => adapters,
    catalog: () => ({ models: entries(), pricesAsOf: PRICES_AS_OF }),
    forModel(model) {
      const entry =
        entries().find(({ id }) => id === model) ?? entries().find(({ aliases }) => aliases.includes(model));
      return adapters.find(({ id }) => id === entry?.provider);
    },
    views: () =>
      LABELS.map((label) => ({
        ...label,
        state: stateOf(label.id),
        backoffUntilAt: backoff.until(label.id, now()),
        baseUrl: endpoint(label.id).baseUrl,
        key: keyring.state(label.id),
        models: entriesOf(label.id).map(({ id }) => id),
      })),
    prices: () => entries().map(({ id, provider, price }) => ({ model: id, provider, price })),
    async setKey(provider, typed, remember) {
      if (!REMOTE.includes(provider)) return "This provider takes no key";
      const key = typed.trim();
      return keyProblem(key) ?? stored(() => keyring.set(provider, key, remember));
    },
    async clearKey(provider) {
      if (!REMOTE.includes(provider)) return "This provider takes no key";
      return stored(() => keyring.forget(provider));
    },
    async setBaseUrl(provider, typed, models) {
      if (!REMOTE.includes(provider)) return "This provider has no address";
      const url = baseUrlOf(typed);
      if (url.problem !== null) return url.problem;
      const list = provider === "openai" ? modelList(models) : { models: [], problem: null };
      if (list.problem !== null) return list.problem;
      const next = { baseUrl: url.baseUrl, models: list.models };
      return stored(async () => {
        await settings.put(endpointRow(provider), next);
        endpoints.set(provider, next);
      });
    },
    async setPrice(model, price) {
      if (model === "" || model.length > 200) return "Name a model";
      const problem = price === null ? null : ownPriceProblem(price);
      if (problem !== null) return problem;
      const others = Object.entries(own).filter(([id]) => id !== model);
      const mine = price === null ? [] : [[model, { price, asOf: dayOf(now()) }] as const];
      const next: OwnPrices = Object.fromEntries([...others, ...mine]);
      return stored(async () => {
        await settings.put(PRICES_ROW, next);
        own = next;
      });
    },
    noteFailure(provider, failure) {
      if (failure.kind !== "unavailable" || !failure.limit) return;
      const untilAt = backoff.note(provider, failure.retryAfterMs, now());
      // The end of the quiet is a change too.
      setTimeout(changed, untilAt - now() + 1);
      changed();
    },
  };
}

function knownOf(provider: string): readonly KnownModel[] {
  return KNOWN_MODELS.filter((model) => model.provider === provider);
}

/** Nothing is known of a model on the person's own list but its name; it stands in the middle of every ranking. */
function unknownModel(id: string): Omit<KnownModel, "price"> {
  return { id, aliases: [], provider: "openai", cheapness: 0.5, speed: 0.5, intelligence: 0.5 };
}

function baseUrlOf(typed: string): { baseUrl: string | null; problem: null } | { baseUrl: null; problem: string } {
  const text = typed.trim();
  if (text === "") return { baseUrl: null, problem: null };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { baseUrl: null, problem: "Give an address that starts with https:// or http://" };
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return { baseUrl: null, problem: "Give the address alone, without a name, a password, a query or a fragment" };
  }
  return { baseUrl: url.href.replace(/\/+$/, ""), problem: null };
}

function modelList(typed: readonly string[]): { models: string[]; problem: string | null } {
  const models = [...new Set(typed.map((name) => name.trim()).filter((name) => name !== ""))];
  const taken = models.find((name) => KNOWN_MODELS.some(({ id }) => id === name));
  if (taken !== undefined) return { models, problem: `${taken} is the name of a model of another provider here` };
  if (models.some((name) => name.length > 200)) return { models, problem: "A model's name has at most 200 characters" };
  return { models, problem: null };
}

function endpointRow(provider: string): string {
  return `provider:${provider}`;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
