/** Which model runs: chosen from the allowlist only (SPEC R1, R2). */
import type { Catalog, ModelEntry } from "./catalog";
import { REASONS, type Refusal } from "./reasons";
import type { Block, ModelPreferences, SamplingRequest } from "./request";
import { isoOf } from "./window";

/** How dated and floating ids extend a model's name: `-20251001`, `@20251001`, `-2025-10-01`, `-latest`. */
const VERSION_SUFFIX = /(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/;

/** The catalog's id for a name: itself, an alias, or a dated id of it; undefined for a name it does not know. */
export function resolveModel(catalog: Catalog, name: string): string | undefined {
  return entryOf(catalog, name)?.id;
}

function entryOf(catalog: Catalog, name: string): ModelEntry | undefined {
  const wanted = name.trim().toLowerCase();
  const undated = wanted.replace(VERSION_SUFFIX, "");
  return named(catalog, wanted) ?? (undated === wanted ? undefined : named(catalog, undated));
}

function named(catalog: Catalog, name: string): ModelEntry | undefined {
  return (
    catalog.models.find((entry) => entry.id.toLowerCase() === name) ??
    catalog.models.find((entry) => entry.aliases.some((alias) => alias.toLowerCase() === name))
  );
}

export interface Chosen {
  readonly ok: true;
  readonly entry: ModelEntry;
  /** Hints were given and none of them fits `entry` (W6). */
  readonly hintIgnored: boolean;
}
export type Choice = Chosen | { readonly ok: false; readonly refusal: Refusal };

/** A permitted model with every name a hint may meet it by. */
interface Candidate {
  readonly entry: ModelEntry;
  readonly names: readonly string[];
}

/**
 * @param allowlist the policy's models, most wanted first; ids the catalog does not know cannot run
 * @param tried models that failed in this exchange already
 */
export function chooseModel(
  request: SamplingRequest,
  allowlist: readonly string[],
  catalog: Catalog,
  tried: readonly string[],
  now: number,
): Choice {
  const permitted = candidates(allowlist, catalog);
  if (permitted.length === 0) return { ok: false, refusal: { reason: "policy.no_permitted_model", data: {} } };
  const untried = permitted.filter(({ entry }) => !tried.includes(entry.id));
  const kinds = kindsOf(request);
  const able = untried.filter(({ entry }) => kinds.every((kind) => entry.accepts.includes(kind)));
  const usable = able.filter(({ entry }) => isReady(entry, now));
  const first = usable[0];
  if (first === undefined) return { ok: false, refusal: noneUsable(untried, able, kinds, tried.length > 0, now) };

  const hints = request.modelPreferences.hints.map((hint) => hint.trim().toLowerCase()).filter((hint) => hint !== "");
  for (const hint of hints) {
    const wanted = usable.find((candidate) => meets(candidate, hint, catalog));
    if (wanted !== undefined) return { ok: true, entry: wanted.entry, hintIgnored: false };
  }
  const chosen = byPriorities(usable, request.modelPreferences) ?? first;
  return { ok: true, entry: chosen.entry, hintIgnored: hints.length > 0 };
}

function candidates(allowlist: readonly string[], catalog: Catalog): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const listed of allowlist) {
    const entry = entryOf(catalog, listed);
    if (entry === undefined || found.has(entry.id)) continue;
    found.set(entry.id, { entry, names: [entry.id, ...entry.aliases, listed].map((name) => name.toLowerCase()) });
  }
  return [...found.values()];
}

function meets(candidate: Candidate, hint: string, catalog: Catalog): boolean {
  return entryOf(catalog, hint) === candidate.entry || candidate.names.some((name) => name.includes(hint));
}

function isReady(entry: ModelEntry, now: number): boolean {
  const { availability } = entry;
  return availability.state === "ready" || (availability.state === "backing_off" && availability.untilAt <= now);
}

/** The candidate the priorities speak for; undefined where none was given. The earlier in the allowlist wins a tie. */
function byPriorities(usable: readonly Candidate[], wish: ModelPreferences): Candidate | undefined {
  const { costPriority, speedPriority, intelligencePriority } = wish;
  const cost = costPriority ?? 0;
  const speed = speedPriority ?? 0;
  const intelligence = intelligencePriority ?? 0;
  if (cost === 0 && speed === 0 && intelligence === 0) return undefined;
  const score = ({ entry }: Candidate) =>
    cost * entry.cheapness + speed * entry.speed + intelligence * entry.intelligence;
  return usable.reduce((best, one) => (score(one) > score(best) ? one : best));
}

/** Content no permitted model takes is final; a model that takes it but cannot be reached now is worth a retry. */
function noneUsable(
  untried: readonly Candidate[],
  able: readonly Candidate[],
  kinds: readonly Block["type"][],
  fellBack: boolean,
  now: number,
): Refusal {
  const ready = untried.find(({ entry }) => isReady(entry, now));
  const returning = able.some(({ entry }) => entry.availability.state === "backing_off");
  if (ready !== undefined && !returning && !fellBack) {
    const takes = (kind: Block["type"], { entry }: Candidate) => entry.accepts.includes(kind);
    const usable = untried.filter(({ entry }) => isReady(entry, now));
    const block =
      kinds.find((kind) => !usable.some((one) => takes(kind, one))) ?? kinds.find((kind) => !takes(kind, ready));
    return { reason: "provider.unsupported_content", data: { block: block ?? "unknown" } };
  }
  const ends = able.flatMap(({ entry }) =>
    entry.availability.state === "backing_off" ? [entry.availability.untilAt] : [],
  );
  const retryAt = ends.length > 0 ? Math.min(...ends) : now + REASONS["provider.unavailable"].retryAfterMs;
  return { reason: "provider.unavailable", data: { retryAt: isoOf(retryAt) } };
}

/** Every kind of block in the request, those inside tool results too; the list grows while it is walked. */
function kindsOf(request: SamplingRequest): readonly Block["type"][] {
  const kinds = new Set<Block["type"]>();
  const blocks: Block[] = request.messages.flatMap((message) => message.content);
  for (const block of blocks) {
    kinds.add(block.type);
    if (block.type === "tool_result") for (const inner of block.content) blocks.push(inner);
  }
  return [...kinds];
}
