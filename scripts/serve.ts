/** A small static server for the build: the headers of headers.ts, MIME types, gzip, loopback only. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { cacheControl, kindOf, securityHeaders } from "./headers";
import { isLoopbackHost, listen } from "./listen";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};
/** Fonts are compressed already. */
const COMPRESSED = new Set([".woff2"]);
/** Below this gzip makes a file longer or no shorter. */
const GZIP_FROM_BYTES = 1024;

interface SiteOptions {
  /** Folder of the build. */
  readonly folder: string;
  /** Port wanted; another free one is taken when it is in use. */
  readonly port: number;
  /** `/demo.json`, where the demo servers run; 404 without. */
  readonly demo?: unknown;
}

interface Site {
  /** With a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `folder` on 127.0.0.1 until `close`. Refuses requests addressed to any other host (DNS rebinding). */
export async function startSite({ folder, port, demo }: SiteOptions): Promise<Site> {
  const server = createServer((request, response) => {
    void answer(folder, demo, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const origin = await listen(server, port);
  return {
    url: `${origin}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(folder: string, demo: unknown, request: IncomingMessage, response: ServerResponse) {
  const path = pathOf(request);
  for (const [name, value] of Object.entries(securityHeaders(kindOf(path)))) response.setHeader(name, value);
  if (!isLoopbackHost(request.headers.host)) return end(response, 403, "Only loopback addresses are served.\n");
  if (request.method !== "GET" && request.method !== "HEAD") return end(response, 405, "Only GET and HEAD.\n");
  const file = await contentOf(folder, demo, path);
  if (file === null) return end(response, 404, "Not found.\n");

  response.setHeader("Content-Type", TYPES[file.ext] ?? "application/octet-stream");
  response.setHeader("Cache-Control", cacheControl(path));
  response.setHeader("Vary", "Accept-Encoding");
  let { body } = file;
  const mayZip = body.length >= GZIP_FROM_BYTES && !COMPRESSED.has(file.ext);
  if (mayZip && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) {
    body = await promisify(gzip)(body);
    response.setHeader("Content-Encoding", "gzip");
  }
  response.setHeader("Content-Length", body.length);
  response.writeHead(200);
  response.end(request.method === "HEAD" ? undefined : body);
}

async function contentOf(folder: string, demo: unknown, path: string): Promise<{ ext: string; body: Buffer } | null> {
  if (path === "/demo.json")
    return demo === undefined ? null : { ext: ".json", body: Buffer.from(JSON.stringify(demo)) };
  const name = path.endsWith("/") ? `${path}index.html` : path;
  // `normalize` of an absolute path cannot climb above the root; names that start with "_" or "." are not for visitors.
  const inside = normalize(name);
  if (/[/\\][._]/.test(inside) || inside.includes("\0")) return null;
  try {
    return { ext: extname(inside), body: await readFile(join(folder, inside)) };
  } catch {
    return null;
  }
}

/** The decoded path, or one that is never found where it does not decode. */
function pathOf(request: IncomingMessage): string {
  try {
    return decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
  } catch {
    return "/.";
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(text);
}
