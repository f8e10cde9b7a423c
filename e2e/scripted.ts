/** A scriptable server that Purser is connected to, named `probe`; tests send sampling requests from inside its tool. */

import { type PolicyBlock, policyText } from "./policy-text";
import type { Purser, Run } from "./purser";
import { createProbe, type Frame, type Probe, type SampleOptions } from "./servers/probe";
import { type HttpProbe, serveHttp } from "./servers/probe-http";

export const PROBE = "probe";

export interface Scripted {
  readonly probe: Probe;
  readonly http: HttpProbe;
  /** Imports `block` as the probe's policy and connects to it. */
  connect(purser: Purser, block: PolicyBlock | null): Promise<void>;
  /** Runs the tool, which sends `params`; `frame` is the response as it came in, `run` the card. */
  ask(purser: Purser, params: unknown, options?: SampleOptions): Promise<Asked>;
  close(): Promise<void>;
}

export interface Asked {
  readonly run: Run;
  readonly frame: Promise<Frame>;
}

export async function startScripted(): Promise<Scripted> {
  const probe = createProbe();
  const http = await serveHttp(probe);
  return {
    probe,
    http,
    async connect(purser, block) {
      await purser.connectTo({ name: PROBE, url: http.url });
      await purser.loadPolicyFile(policyText({ [PROBE]: block }));
      await purser.go("/");
      // Enabling reconnects (P1).
      await purser.waitForState(PROBE, "connected");
    },
    async ask(purser, params, options) {
      const frame = new Promise<Frame>((resolve) => {
        probe.tool = async ({ sample }) => {
          const answer = await sample(params, options);
          resolve(answer);
          return "error" in answer.json ? "was refused" : "was answered";
        };
      });
      return { run: await purser.runTool(PROBE, "ask"), frame };
    },
    close: () => http.close(),
  };
}

/** One message, text only: the smallest request there is. */
export function prompt(text: string, more: object = {}): Record<string, unknown> {
  return { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100, ...more };
}

/** A frame as it came, its instants replaced: they are the one thing two runs differ in. */
export function pinned(frame: Frame): string {
  return frame.text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>");
}
