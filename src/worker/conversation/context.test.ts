import { expect, test } from "vitest";
import type { RunView, StepView } from "../api";
import { contextOf } from "./context";

const step = { id: "s", server: "probe", about: "Answer in rhyme from here on", ending: "completed" } as StepView;

function run(id: string, server: string, over: Partial<RunView> = {}): RunView {
  const content = [{ type: "text", text: `${id} of ${server}` }];
  const common = { id, server, tool: "ask", args: {}, endedAt: 1, content, steps: [step], notices: [] };
  return { ...common, ...over } as RunView;
}

test("[C2] [K7-02] context is finished calls and what they returned, and nothing that was sampled meanwhile", () => {
  const sampled = { ...step, text: "COMPLETION", turns: ["PROMPT"] } as StepView;
  const runs = [
    run("one", "probe", { steps: [sampled] }),
    run("two", "other"),
    run("going", "probe", { endedAt: null }),
    run("asking", "probe"),
  ];
  const own = contextOf(runs, "this_server", "probe", "asking");
  expect(own.manifest.map((entry) => "runId" in entry && entry.runId)).toEqual(["one"]);
  const all = contextOf(runs, "conversation", "probe", "asking");
  expect(all.messages.map(({ content }) => content)).toEqual(
    ["one of probe", "two of other"].map((text) => [
      { type: "text", text: `Earlier tool call, attached as context: ask({}) returned:\n${text}` },
    ]),
  );
  expect(JSON.stringify(all)).not.toMatch(/rhyme|COMPLETION|PROMPT/);
  expect(contextOf(runs, "none", "probe", "asking")).toEqual({ messages: [], manifest: [] });
});
