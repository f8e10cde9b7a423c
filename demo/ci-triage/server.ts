import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { listFailures, SUITES } from "./failures";
import { reportText } from "./report";
import type { Outcome } from "./triage";
import { triage } from "./triage";

const suite = z.enum(SUITES).optional().describe("Only failures of this suite");

/** A server that reads the logs of failed tests and asks the client's model about each. */
export function createCiTriage(): McpServer {
  const found = new Map<string, Outcome>();
  const server = new McpServer({ name: "ci-triage", version: "1.0.0", title: "CI triage" });
  server.registerTool(
    "triage_failures",
    {
      title: "Triage failures",
      description:
        "Asks a model for the cause of each failed test and reports what it found, and what was not analysed.",
      inputSchema: {
        limit: z.number().int().min(1).max(50).optional().describe("At most this many failures"),
        suite,
        scope: z
          .enum(["none", "thisServer", "allServers"])
          .default("allServers")
          .describe("How much of the conversation to ask for"),
        again: z.boolean().default(false).describe("Ask also about failures analysed before in this session"),
      },
      outputSchema: {
        analysed: z.number(),
        notAnalysed: z.number(),
        failures: z.array(z.looseObject({ id: z.string(), status: z.enum(["analysed", "not_analysed"]) })),
      },
    },
    async ({ limit, suite, scope, again }, extra) => {
      if (again) found.clear();
      const failures = (await listFailures(suite)).slice(0, limit);
      const outcomes = await triage(failures, scope, found, extra);
      const analysed = outcomes.filter(({ status }) => status === "analysed").length;
      return {
        content: [{ type: "text", text: reportText(outcomes) }],
        structuredContent: { analysed, notAnalysed: outcomes.length - analysed, failures: [...outcomes] },
      };
    },
  );
  server.registerTool(
    "list_failures",
    { title: "List failures", description: "The failed tests, by suite. Asks no model.", inputSchema: { suite } },
    async ({ suite }) => {
      const failures = await listFailures(suite);
      return { content: [{ type: "text", text: failures.map((f) => `${f.suite} · ${f.test} (${f.id})`).join("\n") }] };
    },
  );
  return server;
}
