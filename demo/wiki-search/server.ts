import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import type { Extra } from "../sampling";
import { ask } from "../sampling";
import type { Hit } from "./search";
import { searchWiki } from "./search";

/** A server nobody enabled: it would like a model to summarise what it finds, and does without when refused. */
export function createWikiSearch(): McpServer {
  const server = new McpServer({ name: "wiki-search", version: "1.0.0", title: "Wiki search" });
  server.registerTool(
    "search_wiki",
    {
      title: "Search the wiki",
      description: "Finds pages of a small wiki about test failures, and summarises them where a model may be asked.",
      inputSchema: { query: z.string().min(1).max(200).describe("Words to look for, such as: browser") },
    },
    async ({ query }, extra) => {
      const hits = await searchWiki(query);
      if (hits.length === 0) return { content: [{ type: "text", text: `Nothing found for "${query}".` }] };
      const snippets = hits.map(({ title, snippet }) => `${title}: ${snippet}`).join("\n\n");
      return { content: [{ type: "text", text: (await summarise(query, hits, extra)) ?? snippets }] };
    },
  );
  return server;
}

async function summarise(query: string, hits: readonly Hit[], extra: Extra): Promise<string | null> {
  const pages = hits.map(({ title, snippet }) => `${title}\n${snippet}`).join("\n\n");
  const answer = await ask(extra, {
    systemPrompt: "Answer in two sentences from the pages given, and from nothing else.",
    messages: [{ role: "user", content: { type: "text", text: `Question: ${query}\n\nPages:\n\n${pages}` } }],
    maxTokens: 300,
    includeContext: "thisServer",
  });
  return answer.ok ? `${answer.text}\n\nFrom: ${hits.map(({ title }) => title).join(", ")}` : null;
}
