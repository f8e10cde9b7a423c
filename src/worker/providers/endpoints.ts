/** Addresses and model lists as the person typed them. */
import { KNOWN_MODELS } from "./prices";

export interface Endpoint {
  /** Null for the provider's own address, or for none where it has no own. */
  readonly baseUrl: string | null;
  readonly models: readonly string[];
}

export const NOWHERE: Endpoint = { baseUrl: null, models: [] };

type Read = { readonly ok: true; readonly endpoint: Endpoint } | { readonly ok: false; readonly problem: string };

const NAME_MAX = 200;

/** `takesModels` is false for a provider whose models are known. */
export function readEndpoint(typed: string, models: readonly string[], takesModels: boolean): Read {
  const text = typed.trim();
  const names = takesModels ? [...new Set(models.map((name) => name.trim()).filter((name) => name !== ""))] : [];
  const problem = (text === "" ? null : addressProblem(text)) ?? namesProblem(names);
  if (problem !== null) return { ok: false, problem };
  const baseUrl = text === "" ? null : new URL(text).href.replace(/\/+$/, "");
  return { ok: true, endpoint: { baseUrl, models: names } };
}

function addressProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return "Give an address that starts with https:// or http://";
  if (url.protocol === "http:" && !isNearby(url.hostname))
    return "Give an https:// address: a key must not travel in the clear";
  const more = `${url.username}${url.password}${url.search}${url.hash}`;
  return more === "" ? null : "Give the address alone, without a name, a password, a query or a fragment";
}

function namesProblem(names: readonly string[]): string | null {
  const taken = names.find((name) => KNOWN_MODELS.some(({ id }) => id === name));
  if (taken !== undefined) return `${taken} is the name of a model of another provider here`;
  const long = names.some((name) => name.length > NAME_MAX);
  return long ? `A model's name has at most ${NAME_MAX} characters` : null;
}

/** This machine or the network it is in: model servers at home seldom have a certificate. */
function isNearby(host: string): boolean {
  if (host === "localhost" || host === "[::1]" || host.endsWith(".localhost") || host.endsWith(".local")) return true;
  return /^(127|10)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\./.test(host) && /^[\d.]+$/.test(host);
}
