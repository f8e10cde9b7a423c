/** What `local-extractive-1` answers: facts of a failure log, as JSON where that is asked for, or central sentences. */
import { utf8Length } from "../../tokens/utf8";
import type { ProviderCall, StopReason } from "../provider";
import { askedKeys, asksForGrades } from "./asked-keys";
import { type Finding, readFailureLog } from "./failure-log";
import { centralSentences } from "./prose";

export interface Answered {
  readonly text: string;
  readonly stopReason: StopReason;
}

const BYTES_PER_TOKEN = 4;
const SENTENCES = 3;

/** Null where there is no text at all. */
export function answerTo(call: ProviderCall): Answered | null {
  const material = materialOf(call);
  if (material === null) return null;
  const keys = askedKeys(call.systemPrompt, material);
  const finding = readFailureLog(material);
  const budget = call.maxTokens * BYTES_PER_TOKEN;
  if (keys !== null) {
    const asked = { keys, grades: asksForGrades(call.systemPrompt, material) };
    return ended(call, jsonWithin(asked, finding, material, budget), budget);
  }
  const text = finding === null ? prose(material, call.systemPrompt) : told(finding);
  return ended(call, text, budget);
}

/** The person's side of the conversation; its last turn alone where that is a failure log. */
function materialOf(call: ProviderCall): string | null {
  const turns = call.messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n"))
    .filter((text) => text.trim() !== "");
  const last = turns.at(-1);
  if (last === undefined) return null;
  return turns.length === 1 || readFailureLog(last) !== null ? last : turns.join("\n");
}

function told(finding: Finding): string {
  const place = finding.location === null ? "" : ` At ${finding.location.file}:${finding.location.line}.`;
  const test = finding.test === null ? "" : ` In ${finding.test}.`;
  const passed = finding.passed === null ? "" : `, ${finding.passed} passed`;
  const counts = finding.failed === null ? "" : ` ${finding.failed} failed${passed}.`;
  return `${sentence(finding.cause)}${place}${test}${counts}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Without the line that only says what to do with the text, where there is one. */
function prose(material: string, systemPrompt: string | null): string {
  const asked = /^[^\n]{0,300}?\b(?:summar|condense|shorten|key points|gist|tl;?dr|extract)[^\n:]{0,200}(?::|\n)/i.exec(
    material,
  );
  const rest = asked === null ? material : material.slice(asked[0].length);
  const text = /[\p{L}\p{N}]/u.test(rest) ? rest : material;
  return centralSentences(text, sentencesAsked(`${systemPrompt ?? ""} ${asked?.[0] ?? ""}`)).join(" ");
}

function sentencesAsked(text: string): number {
  const match = /\b(\d{1,2}|a|one|two|three|four|five|single)(?: \w+)? (?:sentences?|bullets?|points?)\b/i.exec(text);
  const words: Readonly<Record<string, number>> = { a: 1, one: 1, single: 1, two: 2, three: 3, four: 4, five: 5 };
  const named = match?.[1]?.toLowerCase() ?? "";
  return Math.min(20, Math.max(1, words[named] ?? (Number(named) || SENTENCES)));
}

interface Asked {
  readonly keys: readonly string[];
  /** Confidence is to be a word, not a number. */
  readonly grades: boolean;
}

/** A shorter cause where the whole object would not fit: cut JSON is no use to anyone. */
function jsonWithin(asked: Asked, finding: Finding | null, material: string, budget: number): string {
  const cause = finding?.cause ?? centralSentences(material, 1)[0] ?? "";
  for (const length of [cause.length, 120, 60, 20]) {
    const text = JSON.stringify(objectOf(asked, finding, cause.slice(0, length)));
    if (utf8Length(text) <= budget) return text;
  }
  return JSON.stringify(objectOf(asked, finding, ""));
}

function objectOf(asked: Asked, finding: Finding | null, cause: string): Record<string, unknown> {
  return Object.fromEntries(asked.keys.map((key) => [key, factFor(key, asked, finding, cause)]));
}

/** Null for what cannot be taken out of a log: a fix, an owner, a severity. */
function factFor(key: string, asked: Asked, finding: Finding | null, cause: string): unknown {
  const name = key.toLowerCase().replace(/_/g, "");
  if (/^(?:cause|rootcause|reason|error|errormessage|message|summary|explanation|diagnosis)$/.test(name)) return cause;
  if (/^(?:confidence|certainty|score|probability)$/.test(name)) return confidence(finding, asked.grades);
  const location = finding?.location ?? null;
  if (/^(?:file|filename|filepath|path|location|source)$/.test(name)) {
    if (location === null) return null;
    return asked.keys.some((other) => /^line/i.test(other)) ? location.file : `${location.file}:${location.line}`;
  }
  if (/^line(?:number|no)?$/.test(name)) return location?.line ?? null;
  if (/^(?:test|testname|failingtest|failedtest)$/.test(name)) return finding?.test ?? null;
  if (/^(?:failed|failures|failurecount|failedcount)$/.test(name)) return finding?.failed ?? null;
  if (/^(?:passed|passes|passedcount)$/.test(name)) return finding?.passed ?? null;
  return null;
}

/** Never high: it quotes what the runner printed, it does not know why. */
function confidence(finding: Finding | null, grades: boolean): number | "low" | "medium" {
  const found = finding?.confidence ?? 0.1;
  if (!grades) return found;
  return found >= 0.6 ? "medium" : "low";
}

/** Cut at the first stop sequence and at the token limit, whichever comes first. */
function ended(call: ProviderCall, text: string, budget: number): Answered {
  const stops = call.stopSequences.map((stop) => (stop === "" ? -1 : text.indexOf(stop))).filter((at) => at >= 0);
  const stopped = stops.length === 0 ? text : text.slice(0, Math.min(...stops));
  const kept = within(stopped, budget);
  if (kept !== stopped) return { text: kept, stopReason: "maxTokens" };
  return { text: kept, stopReason: stops.length === 0 ? "endTurn" : "stopSequence" };
}

function within(text: string, budget: number): string {
  if (utf8Length(text) <= budget) return text;
  let kept = "";
  let bytes = 0;
  for (const character of text) {
    bytes += utf8Length(character);
    if (bytes > budget) break;
    kept += character;
  }
  return kept;
}
