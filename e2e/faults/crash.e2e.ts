/**
 * Purser dies at every step of an exchange, in three ways, and comes back: every hold is closed once, no decision is
 * lost, no dialog is left over, nothing is charged twice or for free (M4, A7, D1).
 */
import { writeFile } from "node:fs/promises";
import type { TestInfo } from "@playwright/test";
import { type Clock, expect, test } from "../clock";
import { policyText } from "../policy-text";
import type { Purser } from "../purser";
import { type Ledger, ledgerOf, sumOf } from "./ledger";
import { errorOf, type Line, type Lines, reasonOf, startLines } from "./lines";
import { type StagedModel, startStagedModel } from "./staged-model";

const SOAK = process.env.PURSER_SOAK === "1" ? 20 : 1;
/** Its session is allowed, and it runs on the stand-in. */
const SHOP = "shop";
/** Each of its requests asks. */
const GATE = "gate";
const BURST = 16;
/** A call's deadline and the grace after it, with room. */
const LONG_PAST_MS = 120_000;

const POLICY = policyText({
  [SHOP]: {
    models: ["claude-haiku-4-5"],
    max_input_tokens: 400,
    rate_limit: { requests_per_minute: 5_000, burst: 5_000 },
    max_concurrent: 64,
  },
  [GATE]: { consent: "per_request", max_concurrent: 16 },
});

/** How it dies; answers with a tab that lives afterwards. */
const DEATHS: Readonly<Record<string, (purser: Purser) => Promise<Purser>>> = {
  "tab closed": async (purser) => {
    await purser.page.close();
    return purser.secondTab();
  },
  "worker terminated": async (purser) => {
    // As when the system takes it: no event, not even an answer to this.
    void purser.page
      .workers()[0]
      ?.evaluate(() => self.close())
      .catch(() => undefined);
    return purser;
  },
  "browser killed": (purser) => purser.restartBrowser("kill"),
};

interface Stage {
  readonly shop: Lines;
  readonly gate: Lines;
  readonly model: StagedModel;
  readonly random: () => number;
  /** Refusals the server has seen, by what it asked. */
  readonly acknowledged: Map<Sent, object>;
}

interface Sent {
  readonly id: number;
  /** One of a kind, so that record and call are found by it. */
  readonly maxTokens: number;
  readonly params: object;
}

let lastMark = 10;

function send(line: Line, words: string): Sent {
  lastMark += 1;
  const params = {
    messages: [{ role: "user", content: { type: "text", text: `${words} ${lastMark}` } }],
    maxTokens: lastMark,
  };
  return { id: line.post(params), maxTokens: lastMark, params };
}

const TOO_LARGE = "answer ".repeat(600);

/** Many at once, none waited for: some are not even committed when the end comes. */
function burst(stage: Stage): readonly Sent[] {
  const line = stage.shop.newest();
  return Array.from({ length: BURST }, (_, at) => send(line, at % 4 === 3 ? TOO_LARGE : "answer"));
}

/** One exchange at each step of its way; the last call returns as soon as the last reply is at the server. */
async function atEveryStep(purser: Purser, stage: Stage) {
  const { shop, gate, model } = stage;
  shop.probe.tool = () => new Promise(() => undefined);
  // What comes while it runs is shown on its card.
  await purser.runTool(SHOP, "ask");
  const line = shop.newest();
  const settled = send(line, "answer");
  expect(reasonOf(await shop.answerTo(settled.id))).toBeNull();
  await expect.poll(async () => recordsOf(await ledgerOf(purser.page, SHOP), settled)).toHaveLength(1);
  const refused = send(line, TOO_LARGE);
  expect(reasonOf(await shop.answerTo(refused.id))).toBe("policy.input_too_large");

  const asking = send(gate.newest(), "first");
  await expect(purser.consent(GATE)).toBeVisible();
  const behind = send(gate.newest(), "second");
  gate.newest().post(asking.params);
  await expect.poll(async () => (await ledgerOf(purser.page, GATE)).account.holds.length).toBe(2);

  const admitted = send(line, "hold");
  const streaming = send(line, "stream");
  await expect.poll(() => [admitted, streaming].every((one) => called(model, one))).toBe(true);
  const replied = send(line, "answer");
  await shop.answerTo(replied.id);
  return { settled, refused, asking, behind, admitted, streaming, replied };
}

function called(model: StagedModel, { maxTokens }: Sent): boolean {
  return model.calls.some((call) => call.maxTokens === maxTokens);
}

function recordsOf({ records }: Ledger, { maxTokens }: Sent) {
  return records.filter((record) => record.maxTokensAsked === maxTokens);
}

function noteRefusals(stage: Stage, sent: readonly Sent[]): void {
  for (const one of sent) {
    const frame = stage.shop.answers.get(one.id)?.[0];
    if (frame !== undefined && "error" in frame.json) stage.acknowledged.set(one, errorOf(frame));
  }
}

async function comeBack(purser: Purser, stage: Stage, before: readonly number[]): Promise<void> {
  const { shop, gate } = stage;
  await expect
    .poll(() => [shop.connections, gate.connections].every((count, at) => count > (before[at] ?? 0)), {
      timeout: 20_000,
    })
    .toBe(true);
  await purser.ready();
  for (const server of [SHOP, GATE]) await purser.waitForState(server, "connected");
}

async function prepared(purser: Purser, stage: Stage): Promise<void> {
  const { shop, gate, model } = stage;
  await purser.setProviderKey("Anthropic", "sk-test-0123456789", true);
  await purser.setProviderBaseUrl("Anthropic", model.url);
  await purser.connectTo({ name: SHOP, url: shop.url });
  await purser.connectTo({ name: GATE, url: gate.url });
  await purser.loadPolicyFile(POLICY);
  await purser.go("/");
  for (const server of [SHOP, GATE]) await purser.waitForState(server, "connected");
  await expect.poll(() => [shop.connections, gate.connections]).toEqual([2, 2]);
  const first = send(shop.newest(), "answer");
  await purser.answerConsent(SHOP, "allow_session");
  expect(reasonOf(await shop.answerTo(first.id))).toBeNull();
}

test("[F1] [F2] [F3] [F4] [F9] [K4-06] [K6-10] [M4] it dies at every step of an exchange and comes back", async ({
  purser,
  clock,
}, info) => {
  test.setTimeout(240_000);
  const [shop, gate, model] = await Promise.all([startLines(), startLines(), startStagedModel()]);
  const stage: Stage = { shop, gate, model, random: seeded(4_711), acknowledged: new Map() };
  await prepared(purser, stage);
  let tab = purser;
  const sent: Sent[] = [];
  const figures: object[] = [];

  for (const [how, die] of Object.entries(DEATHS)) {
    await test.step(how, async () => {
      const before = [shop.connections, gate.connections];
      const steps = await atEveryStep(tab, stage);
      const uncommitted = burst(stage);
      const { asking: _, behind: __, ...atShop } = steps;
      const all = [...Object.values(atShop), ...uncommitted];
      tab = await die(tab);
      await comeBack(tab, stage, before);
      sent.push(...all);
      noteRefusals(stage, [steps.refused, ...uncommitted]);
      await checkAfterDeath(tab, how, steps);
      figures.push({ how, steps: Object.keys(steps).length, burst: uncommitted.length });
    });
  }
  for (let round = 0; round < 6 * SOAK; round += 1) {
    const how = Object.keys(DEATHS)[round % 3 === 2 && round % 6 !== 5 ? 2 : round % 2] ?? "";
    await test.step(`${how}, at any moment (${round})`, async () => {
      const before = [shop.connections, gate.connections];
      const uncommitted = burst(stage);
      await new Promise((resolve) => setTimeout(resolve, stage.random() * 250));
      tab = (await DEATHS[how]?.(tab)) ?? tab;
      await comeBack(tab, stage, before);
      sent.push(...uncommitted);
      noteRefusals(stage, uncommitted);
    });
  }
  await checkReplays(tab, stage);
  figures.push(await checkTheEnd(tab, stage, clock, sent));
  await note(info, { rounds: figures, refusalsAsked: stage.acknowledged.size });
  await Promise.all([shop.close(), gate.close(), model.close()]);
});

type Steps = Awaited<ReturnType<typeof atEveryStep>>;

/** What must hold as soon as it is back, before any hold has expired. */
async function checkAfterDeath(tab: Purser, how: string, steps: Steps): Promise<void> {
  await expect(tab.consent(GATE), `${how}: a dialog nobody can answer`).toHaveCount(0);
  await expect(tab.consentChip(GATE), `${how}: a chip of no dialog`).toHaveCount(0);
  const gate = await ledgerOf(tab.page, GATE);
  expect(gate.account.holds, `${how}: what waited for a person holds nothing`).toEqual([]);
  for (const step of ["asking", "behind"] as const) {
    const found = recordsOf(gate, steps[step]);
    expect(
      found.map(({ ending, chargedMicros }) => [ending, chargedMicros]),
      `${how}: ${step}`,
    ).toEqual([["lost", 0]]);
  }
  const shop = await ledgerOf(tab.page, SHOP);
  const held = shop.account.holds.map((hold) => hold.draft.maxTokensAsked);
  for (const step of ["admitted", "streaming"] as const) {
    expect(held, `${how}: the call that had left keeps its hold (${step})`).toContain(steps[step].maxTokens);
  }
  expect(
    recordsOf(shop, steps.settled).map(({ ending }) => ending),
    `${how}: settled`,
  ).toEqual(["completed"]);
  await tab.go("/");
  const run = await tab.latestRun(SHOP, "ask");
  await run.waitEnded(/interrupted/);
  await expect(run.card).toContainText("The server may or may not have finished.");
}

/** Every refusal the server was told is told again, word for word, and nothing is decided anew. */
async function checkReplays(tab: Purser, stage: Stage): Promise<void> {
  const { shop, acknowledged } = stage;
  expect(acknowledged.size).toBeGreaterThan(3);
  const before = (await ledgerOf(tab.page, SHOP)).records.length;
  for (const [one, error] of acknowledged) {
    const again = await shop.answerTo(shop.newest().post(one.params));
    expect(errorOf(again), `refusal ${one.maxTokens}`).toEqual(error);
  }
  expect((await ledgerOf(tab.page, SHOP)).records).toHaveLength(before);
}

async function checkTheEnd(tab: Purser, stage: Stage, clock: Clock, sent: readonly Sent[]): Promise<object> {
  const { shop, model } = stage;
  const open = (await ledgerOf(tab.page, SHOP)).account.holds.length;
  // Long after every deadline; whoever starts next closes what is left.
  await clock.step(LONG_PAST_MS);
  await tab.reload();
  await expect.poll(async () => (await ledgerOf(tab.page, SHOP)).account.holds).toEqual([]);
  const ledger = await ledgerOf(tab.page, SHOP);
  const { account, records, days } = ledger;
  expect(sumOf(records)).toBe(account.settledMicros);
  expect(days.chargedMicros).toBe(account.settledMicros);
  expect(account.settledCount).toBe(records.filter((record) => record.chargeBasis !== "none").length);
  for (const one of sent) {
    const found = recordsOf(ledger, one);
    const frames = shop.answers.get(one.id) ?? [];
    expect(frames.length, `${one.maxTokens}: at most one response`).toBeLessThanOrEqual(1);
    expect(found.length, `${one.maxTokens}: at most one record`).toBeLessThanOrEqual(1);
    const cost = called(model, one) || frames.some((frame) => "result" in frame.json);
    if (cost) expect(found[0]?.chargedMicros ?? 0, `${one.maxTokens}: what ran is charged`).toBeGreaterThan(0);
  }
  const endings = new Map<string, number>();
  for (const { ending } of records) endings.set(ending, (endings.get(ending) ?? 0) + 1);
  return {
    openAfterLastDeath: open,
    records: records.length,
    calls: model.calls.length,
    ...Object.fromEntries(endings),
  };
}

async function note(info: TestInfo, figures: object): Promise<void> {
  const text = JSON.stringify(figures);
  info.annotations.push({ type: "figures", description: text });
  await writeFile(info.outputPath("figures.json"), text);
}

/** Small and the same on every machine (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
