import { expect, test } from "vitest";
import type { Message } from "../../policy/request";
import { createLocal } from "../providers/local";
import type { Provider } from "../providers/provider";
import type { Exchange } from "./intake";
import { measure } from "./measure";

const local = createLocal(() => []);
const said = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const about = (runId: string) => ({ kind: "tool_run", server: "ci-triage", tool: "list", runId }) as const;
const exchange = {
  request: { systemPrompt: null, messages: [said("x".repeat(400))] },
  incoming: { server: "ci-triage", runId: null },
} as unknown as Exchange;

const measured = (limitTokens: number | null, provider: Provider = local) =>
  measure(
    {
      models: {
        forModel: () => provider,
        catalog: () => ({ models: [], pricesAsOf: "" }),
        noteFailure: () => undefined,
      },
      context: () => ({
        messages: [said("old ".repeat(100)), said("new ".repeat(100))],
        manifest: [about("old"), about("new")],
      }),
    },
    exchange,
    { model: "local-extractive-1", scope: "conversation", limitTokens },
  );

test("[C1] context is attached newest first, into what the request leaves of the input limit", async () => {
  const all = await measured(null);
  expect(all.measured.manifest.map((entry) => entry.runId)).toEqual(["old", "new"]);
  const own = all.measured.inputTokens - all.measured.manifest.reduce((sum, entry) => sum + entry.tokens, 0);
  const newest = all.measured.manifest[1]?.tokens ?? 0;

  const one = await measured(own + newest);
  expect(one.measured.manifest.map((entry) => entry.runId)).toEqual(["new"]);
  expect(one.measured.inputTokens).toBe(own + newest);
  expect(one.prompt.messages).toHaveLength(2);
});

test("[C1] a request that leaves no room is sent without context, not refused for it", async () => {
  const none = await measured(1);
  expect(none.measured.manifest).toEqual([]);
  expect(none.prompt.messages).toEqual(exchange.request.messages);
});

test("[M2] what was counted is an upper bound of what is sent", async () => {
  const { measured: counted, prompt } = await measured(null);
  expect(counted.inputTokens).toBeGreaterThanOrEqual(await local.countTokens(prompt, "local-extractive-1"));
});
