/**
 * What one server's flood costs another server's exchanges (SPEC P5): the built app, a flooding server in a process of
 * its own, and a second server whose requests run one at a time over HTTP and over WebSocket. Quiet and flooded spells
 * take turns, so that whatever else the machine does meets both.
 */
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { startSite } from "../../scripts/serve";
import { Browser } from "../browser";
import { policyText } from "../policy-text";
import type { Purser } from "../purser";
import { type Flooder, startFlooder } from "../servers/flood";
import type { FloodKind } from "../servers/flooder";
import { createProbe, type Probe, type Script } from "../servers/probe";
import { serveHttp } from "../servers/probe-http";
import { serveWs } from "../servers/probe-ws";

const out = fileURLToPath(new URL("../../.cache/bench-app", import.meta.url));
const PER_SECOND = 5_000;
const SPELL_MS = 1_500;
const ROUNDS = 4;

const FLOODS = [
  { what: "the same refused request", kind: "identical", block: { models: ["absent-1"] }, goal: "≤ 1.5" },
  {
    what: "a new request each time, refused by its rate",
    kind: "varied",
    block: { rate_limit: { requests_per_minute: 1, burst: 1 } },
    goal: "",
  },
  { what: "malformed requests", kind: "malformed", block: {}, goal: "" },
  { what: "new requests of a server that is not enabled", kind: "varied", block: null, goal: "" },
] as const satisfies readonly { what: string; kind: FloodKind; block: object | null; goal: string }[];

let counter = 0;
/** Round trips, one at a time, for a while; ms of each. */
async function spell(sample: Script["sample"]): Promise<readonly number[]> {
  const times: number[] = [];
  const endAt = performance.now() + SPELL_MS;
  while (performance.now() < endAt) {
    counter += 1;
    const text = `Why did run ${counter} fail? Error: expected ${counter}`;
    const startedAt = performance.now();
    await sample({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 50 });
    times.push(performance.now() - startedAt);
  }
  return times;
}

interface Compared {
  readonly quiet: number[];
  readonly flooded: number[];
}

/** Quiet and flooded spells in turns, all within one tool call, so that nothing is pressed on a page under load. */
async function compare(
  browser: Browser,
  probe: Probe,
  purser: Purser,
  name: string,
  begin: () => Promise<void>,
  end: () => Promise<void>,
) {
  const times: Compared = { quiet: [], flooded: [] };
  let begun: () => void = () => undefined;
  const unwatched = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = new Promise<void>((resolve) => {
    probe.tool = async ({ sample }) => {
      await unwatched;
      for (let round = 0; round <= ROUNDS; round += 1) {
        const calm = await spell(sample);
        await begin();
        const loud = await spell(sample);
        await end();
        // The first round warms up.
        if (round === 0) continue;
        times.quiet.push(...calm);
        times.flooded.push(...loud);
      }
      resolve();
      return "measured";
    };
  });
  await purser.runTool(name, "ask");
  const [, again] = await browser.unwatched(() => {
    begun();
    return done;
  });
  return [times, again] as const;
}

/** The first request asks; the answer covers the rest. */
async function agree(probe: Probe, purser: Purser, name: string): Promise<void> {
  probe.tool = async ({ sample }) => {
    await sample({ messages: [{ role: "user", content: { type: "text", text: "first" } }], maxTokens: 50 });
    return "asked";
  };
  const run = await purser.runTool(name, "ask");
  await purser.answerConsentIfAsked(name, "allow_session", run);
  await run.waitEnded();
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Until all is answered, or was dropped with its connection. */
async function settled(flooder: Flooder): Promise<void> {
  await flooder.stop();
  for (;;) {
    const { sent, answered, dropped } = await flooder.count();
    if (answered + dropped >= sent) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function reconnected(purser: Purser): Promise<void> {
  const item = purser.server("flooder");
  if (await item.getByText("paused", { exact: true }).isVisible())
    await item.getByRole("button", { name: "Connect" }).click();
  await purser.waitForState("flooder", "connected");
}

export async function floods(): Promise<void> {
  await build({ logLevel: "error", build: { outDir: out, emptyOutDir: true } });
  const site = await startSite({ folder: out, port: 0 });
  const browser = await Browser.start(site.url.replace(/\/$/, ""));
  const flooder = await startFlooder();
  const [httpProbe, wsProbe] = [createProbe(), createProbe()];
  const [http, ws] = [await serveHttp(httpProbe), await serveWs(wsProbe)];
  const victims = [
    { name: "by-http", way: "HTTP", probe: httpProbe, url: http.url },
    { name: "by-ws", way: "WebSocket", probe: wsProbe, url: ws.url },
  ] as const;
  console.log(
    "| while another server sends 5,000/s of | exchange over | quiet | flooded | ratio | goal | sent | answered |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  try {
    let purser = await browser.tab();
    for (const { name, url } of victims) await purser.connectTo({ name, url });
    await purser.connectTo({ name: "flooder", url: flooder.url });
    const generous = () => ({
      rate_limit: { requests_per_minute: 100_000, burst: 100_000 },
      budget: { window: "24h", usd: 1000 },
    });
    for (const { what, kind, block, goal } of FLOODS) {
      const only = process.env.FLOOD;
      if (only !== undefined && !what.includes(only)) continue;
      await purser.loadPolicyFile(policyText({ "by-http": generous(), "by-ws": generous(), flooder: block }));
      await purser.go("/");
      for (const { name } of victims) await purser.waitForState(name, "connected");
      await reconnected(purser);
      for (const { name, way, probe } of victims) {
        console.error(`${what}, ${way}`);
        await agree(probe, purser, name);
        await reconnected(purser);
        const start = await flooder.count();
        const [times, again] = await compare(
          browser,
          probe,
          purser,
          name,
          () => flooder.flood(kind, PER_SECOND),
          () => settled(flooder),
        );
        purser = again;
        const count = await flooder.count();
        const [sent, answered] = [count.sent - start.sent, count.answered - start.answered];
        const [before, during] = [median(times.quiet), median(times.flooded)];
        console.log(
          `| ${what} | ${way} | ${before.toFixed(2)} ms | ${during.toFixed(2)} ms | ${(during / before).toFixed(2)} | ${goal} | ${sent} | ${answered} |`,
        );
      }
    }
  } finally {
    flooder.close();
    await Promise.all([browser.close(), site.close(), http.close(), ws.close()]);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await floods();
  process.exit(0);
}
