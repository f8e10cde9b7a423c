/** Providers that answer oddly, and what changes while one answers: the right charge, the right frame, once (M3, M6). */
import { expect, test } from "../fixtures";
import { type PolicyBlock, policyText } from "../policy-text";
import type { Purser } from "../purser";
import type { Frame } from "../servers/probe";
import { type Ledger, ledgerOf, sumOf } from "./ledger";
import { type Lines, reasonOf, startLines } from "./lines";
import { MODEL, type StagedModel, startStagedModel } from "./staged-model";

test.describe.configure({ mode: "parallel" });

const SHOP = "shop";
const HAIKU: PolicyBlock = { models: ["claude-haiku-4-5"], max_input_tokens: 400 };

interface Rig {
  readonly purser: Purser;
  readonly lines: Lines;
  readonly model: StagedModel;
  ask(way: string): Promise<Frame>;
  post(way: string): number;
  ledger(): Promise<Ledger>;
}

/** One server whose session is allowed, on the stand-in. */
async function rigOn(purser: Purser, block: PolicyBlock): Promise<Rig> {
  const [lines, model] = await Promise.all([startLines(), startStagedModel()]);
  await purser.setProviderKey("Anthropic", "sk-test-0123456789");
  await purser.setProviderBaseUrl("Anthropic", model.url);
  await purser.connectTo({ name: SHOP, url: lines.url });
  await purser.loadPolicyFile(policyText({ [SHOP]: block }));
  await purser.go("/");
  await expect.poll(() => lines.connections).toBe(2);
  let mark = 0;
  const request = (way: string) => ({
    messages: [{ role: "user", content: { type: "text", text: `${way} ${++mark}` } }],
    maxTokens: 50,
  });
  const rig: Rig = {
    purser,
    lines,
    model,
    ask: (way) => lines.newest().ask(request(way)),
    post: (way) => lines.newest().post(request(way)),
    ledger: () => ledgerOf(purser.page, SHOP),
  };
  const first = rig.ask("answer");
  await purser.answerConsent(SHOP, "allow_session");
  expect((await first).json).toHaveProperty("result.model", MODEL);
  return rig;
}

async function done({ lines, model }: Rig): Promise<void> {
  for (const given of lines.answers.values()) expect(given.length).toBeLessThanOrEqual(1);
  await Promise.all([lines.close(), model.close()]);
}

/** The record of what was asked last, once nothing is held. */
async function newest(rig: Rig) {
  const asked = rig.lines.answers.size;
  const state = async () => {
    const { account, records } = await rig.ledger();
    return [account.holds.length, records.length];
  };
  await expect.poll(state).toEqual([0, asked]);
  const ledger = await rig.ledger();
  expect(sumOf(ledger.records)).toBe(ledger.account.settledMicros);
  const record = [...ledger.records].sort((a, b) => b.receivedAt - a.receivedAt)[0];
  if (record === undefined) throw new Error("nothing was recorded");
  return record;
}

interface Odd {
  readonly way: string;
  /** Null: a result. */
  readonly reason: string | null;
  readonly ending: string;
  readonly basis: "reported" | "estimate" | "none";
}

const ODDITIES: readonly Odd[] = [
  { way: "unmetered", reason: null, ending: "completed", basis: "estimate" },
  { way: "zeros", reason: null, ending: "completed", basis: "estimate" },
  { way: "tenfold", reason: null, ending: "completed", basis: "reported" },
  { way: "other", reason: null, ending: "trimmed", basis: "reported" },
  { way: "cut", reason: "provider.unavailable", ending: "failed", basis: "estimate" },
  { way: "500", reason: "provider.unavailable", ending: "failed", basis: "none" },
  { way: "400", reason: "provider.rejected", ending: "failed", basis: "none" },
  { way: "hold", reason: "policy.deadline", ending: "timed_out", basis: "estimate" },
  { way: "stream", reason: "policy.deadline", ending: "timed_out", basis: "estimate" },
  { way: "529", reason: "provider.unavailable", ending: "failed", basis: "none" },
];

test("[F32] [M3] [M6] [K4-03] [K4-04] [K4-11] whatever a provider reports, it is charged once and never too little", async ({
  purser,
}) => {
  const rig = await rigOn(purser, { ...HAIKU, deadline_ms: 1_500 });
  for (const { way, reason, ending, basis } of ODDITIES) {
    await test.step(way, async () => {
      const frame = await rig.ask(way);
      expect(reasonOf(frame), way).toBe(reason);
      const record = await newest(rig);
      expect([record.ending, record.chargeBasis], way).toEqual([ending, basis]);
      const [charged, estimate] = [record.chargedMicros, record.estimatedMicros];
      if (basis === "none") expect(charged, way).toBe(0);
      else expect(charged, way).toBeGreaterThan(0);
      if (way === "unmetered" || way === "zeros" || way === "hold") expect(charged, way).toBe(estimate);
      if (way === "tenfold") {
        expect(record.overrunMicros, "what exceeds the hold is charged, and said").toBe(charged - estimate);
        expect(record.overrunMicros).toBeGreaterThan(9 * estimate);
      }
      if (way === "other") {
        expect(frame.json).toHaveProperty("result.model", "claude-opus-4-1-20250805");
        expect(record.modelUsed).toBe("claude-opus-4-1-20250805");
      }
    });
  }
  await purser.go("/activity");
  await expect(
    purser.page.getByText(/The provider reported \$\S+ more than was held for a request of shop/),
  ).toBeVisible();
  await done(rig);
});

test("[F35] [P3] [P4] an edit while it runs: it ends under the old policy, and what was refused is decided anew", async ({
  purser,
}) => {
  const rig = await rigOn(purser, HAIKU);
  const large = { messages: [{ role: "user", content: { type: "text", text: "word ".repeat(900) } }], maxTokens: 50 };
  const line = rig.lines.newest();
  expect(reasonOf(await line.ask(large))).toBe("policy.input_too_large");
  const running = rig.post("hold");
  await expect.poll(() => rig.model.calls.some(({ way }) => way === "hold")).toBe(true);
  await purser.editPolicy(SHOP, { "Output tokens": "99", "Input tokens": "2000" });
  const again = line.ask(large);
  // Another revision is another question.
  await purser.answerConsent(SHOP, "allow_session");
  expect((await again).json).toHaveProperty("result");
  rig.model.release();
  expect((await rig.lines.answerTo(running)).json).toHaveProperty("result");
  await expect.poll(async () => (await rig.ledger()).account.holds.length).toBe(0);
  const { records, account } = await rig.ledger();
  const revisions = [...records].sort((a, b) => a.receivedAt - b.receivedAt).map((record) => record.policyRevision);
  expect(revisions).toEqual([1, 1, 1, 2]);
  expect(sumOf(records)).toBe(account.settledMicros);
  await done(rig);
});

test("[F33] [K7] [M4] the key forgotten, the request cancelled, the server removed, each while it runs: one ending, one charge", async ({
  purser,
}) => {
  const rig = await rigOn(purser, HAIKU);
  const running = rig.post("hold");
  await expect.poll(() => rig.model.calls.some(({ way }) => way === "hold")).toBe(true);
  await purser.go("/settings");
  await purser.provider("Anthropic").getByRole("button", { name: "Forget key" }).click();
  await expect(purser.provider("Anthropic").getByRole("button", { name: "Forget key" })).toBeDisabled();
  expect(reasonOf(await rig.ask("answer")), "no key, no call").toBe("provider.unavailable");
  rig.model.release();
  expect((await rig.lines.answerTo(running)).json, "the call had left with the key").toHaveProperty("result");
  expect((await newest(rig)).reason).toBe("provider.unavailable");

  await purser.setProviderKey("Anthropic", "sk-test-9876543210");
  const unwanted = rig.post("stream");
  await expect.poll(() => rig.model.calls.some(({ way }) => way === "stream")).toBe(true);
  rig.lines.newest().cancel(unwanted);
  const cancelled = await newest(rig);
  expect([cancelled.ending, cancelled.detail.cause], "what had left is charged").toEqual([
    "cancelled",
    "cancelled_by_server",
  ]);
  expect(cancelled.chargedMicros).toBeGreaterThan(0);
  expect(rig.lines.answers.get(unwanted)).toEqual([]);

  const removed = rig.post("stream");
  await expect.poll(() => rig.model.calls.filter(({ way }) => way === "stream").length).toBe(2);
  const before = await rig.ledger();
  await purser.serverAction(SHOP, "Remove");
  await expect(purser.server(SHOP)).toHaveCount(0);
  rig.model.release();
  await purser.page.waitForTimeout(300);
  const { account, records } = await rig.ledger();
  expect(account).toBeUndefined();
  const added = records.filter(({ id }) => !before.records.some((record) => record.id === id));
  expect(added.map(({ ending, detail, chargeBasis }) => [ending, detail.cause, chargeBasis])).toEqual([
    ["cancelled", "server_removed", "estimate"],
  ]);
  expect(rig.lines.answers.get(removed)).toEqual([]);
  await done(rig);
});
