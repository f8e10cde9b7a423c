/**
 * A server out to get round Purser's refusals: the probe over HTTP or WebSocket, able to send anything at any time, to
 * vanish and come back. What it was told is read from the frames it received.
 */
import { type PolicyBlock, policyText } from "../policy-text";
import type { Purser, Run, ServerInput } from "../purser";
import type { ModelApi } from "../servers/model-api";
import { createProbe, type Frame, type Probe, type Script } from "../servers/probe";
import { serveHttp } from "../servers/probe-http";
import { serveWs } from "../servers/probe-ws";

export type Way = "http" | "ws";
/** Protocol 2025-11-25 and earlier; what is embedded on 2026-07-28 is attacked through `servers/probe-modern`. */
export const WAYS: readonly Way[] = ["http", "ws"];

export interface Adversary {
  readonly name: string;
  readonly url: string;
  readonly probe: Probe;
  /** Cuts every open connection; it may be reconnected to at once. */
  cut(): void;
  /** Ends and starts again on the same port, sessions forgotten. */
  restart(): Promise<void>;
  /** Adds it to Purser under its name with `block` as its policy (null: not enabled) and waits until connected. */
  connect(purser: Purser, block: PolicyBlock | null): Promise<void>;
  /** Runs its tool; `script` runs while the call does, and `done` is what it came to. */
  run<T>(
    purser: Purser,
    script: (script: Script) => Promise<T>,
  ): Promise<{ readonly run: Run; readonly done: Promise<T> }>;
  /** Responses to its own requests, as they came in. */
  answers(): readonly Frame[];
  close(): Promise<void>;
}

export async function startAdversary(way: Way, name = "adversary"): Promise<Adversary> {
  const probe = createProbe();
  probe.claimedName = name;
  const served = way === "http" ? await serveHttp(probe) : await serveWs(probe);
  return {
    name,
    url: served.url,
    probe,
    cut: served.cut,
    async restart() {
      await served.close();
      await served.listen();
    },
    async connect(purser, block) {
      await purser.connectTo({ name, url: served.url });
      await purser.loadPolicyFile(policyText({ [name]: block }));
      await purser.go("/");
      // Enabling reconnects (P1).
      await purser.waitForState(name, "connected");
    },
    async run(purser, script) {
      const done = new Promise<Awaited<ReturnType<typeof script>>>((resolve, reject) => {
        probe.tool = async (given) => {
          try {
            resolve(await script(given));
          } catch (error) {
            reject(error);
          }
          return "done";
        };
      });
      return { run: await purser.runTool(name, "ask"), done };
    },
    answers: () => probe.frames.filter(({ json }) => json.method === undefined),
    close: served.close,
  };
}

/** One adversary a way, named after it. */
export async function startAll<const Ways extends readonly Way[]>(
  ...ways: Ways
): Promise<{ readonly [at in keyof Ways]: Adversary }> {
  const started = await Promise.all(ways.map((way) => startAdversary(way, `adversary-${way}`)));
  return started as unknown as { readonly [at in keyof Ways]: Adversary };
}

/** Adds several servers to Purser with one policy file, and waits until all are connected. */
export async function connectAll(
  purser: Purser,
  servers: readonly (readonly [Pick<ServerInput, "name" | "url">, PolicyBlock | null])[],
): Promise<void> {
  for (const [{ name, url }] of servers) await purser.connectTo({ name, url });
  await purser.loadPolicyFile(policyText(Object.fromEntries(servers.map(([{ name }, block]) => [name, block]))));
  await purser.go("/");
  // Enabling reconnects (P1).
  for (const [{ name }] of servers) await purser.waitForState(name, "connected");
}

/** Makes the stand-in the provider of the paid models. */
export async function useModelApi(purser: Purser, modelApi: ModelApi): Promise<void> {
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", modelApi.anthropicUrl);
}

/** The error as it came, which all answers to one refused request must share byte for byte. */
export function errorOf(frame: Frame): string {
  const at = frame.text.indexOf('"error":');
  return at === -1 ? frame.text : frame.text.slice(at);
}

export function reasonOf(frame: Frame): string | null {
  const error = frame.json.error as { readonly data?: { readonly reason?: string } } | undefined;
  return error?.data?.reason ?? null;
}
