import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";
import { headersFile, kindOf, securityHeaders, WORKER_FOLDER } from "./scripts/headers.ts";

/** Sends the policies of scripts/headers.ts from dev and preview, and writes them down for static hosts. */
function responseHeaders(styleNonce: string): Plugin {
  const send = (response: ServerResponse, headers: Record<string, string>) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  };
  return {
    name: "purser-response-headers",
    configureServer(server) {
      server.middlewares.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
        // In dev both import the same modules; the script a worker is started from is the one that binds it.
        const kind = request.url?.includes("worker_file") ? "worker" : "page";
        send(response, securityHeaders(kind, { styleNonce }));
        next();
      });
    },
    configurePreviewServer(server) {
      server.middlewares.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
        send(response, securityHeaders(kindOf(request.url ?? "/")));
        next();
      });
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const files = ["index.html", ...readdirSync("public"), ...Object.keys(bundle)];
        this.emitFile({ type: "asset", fileName: "_headers", source: headersFile([...new Set(files)]) });
      },
    },
  };
}

/** The page is imported by the entry, after the worker was started; the browser is told of its files at once all the same. */
function preloadPage(): Plugin {
  return {
    name: "purser-preload-page",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === "chunk");
        const page = chunks.find((chunk) => chunk.facadeModuleId?.endsWith("/src/ui/main.tsx"));
        if (page === undefined) return [];
        const scripts = [page.fileName, ...page.imports];
        const styles = scripts.flatMap((name) => [
          ...(chunks.find((chunk) => chunk.fileName === name)?.viteMetadata?.importedCss ?? []),
        ]);
        return [
          ...scripts.map((name) => ({
            tag: "link",
            attrs: { rel: "modulepreload", href: `/${name}` },
            injectTo: "head" as const,
          })),
          ...[...new Set(styles)].map((name) => ({
            tag: "link",
            attrs: { rel: "stylesheet", href: `/${name}` },
            injectTo: "head" as const,
          })),
        ];
      },
    },
  };
}

export default defineConfig(({ command }) => {
  const styleNonce = randomUUID();
  return {
    plugins: [solid(), responseHeaders(styleNonce), preloadPage()],
    // Hot reload adds <style> elements; the nonce is how they pass without 'unsafe-inline'. The build has none.
    html: command === "serve" ? { cspNonce: styleNonce } : {},
    worker: {
      format: "es" as const,
      rolldownOptions: {
        checks: { pluginTimings: false },
        output: {
          entryFileNames: `${WORKER_FOLDER}/[name]-[hash].js`,
          chunkFileNames: `${WORKER_FOLDER}/[name]-[hash].js`,
          assetFileNames: `${WORKER_FOLDER}/[name]-[hash][extname]`,
        },
      },
    },
    build: {
      target: ["chrome120", "firefox121", "safari17.2"],
      // An inlined asset would be a data: address, which neither policy lets in for fonts and scripts.
      assetsInlineLimit: 0,
      // The polyfill is for browsers older than the ones above.
      modulePreload: { polyfill: false },
      // The output of `npm start` is for who uses Purser; how long plugins took is not.
      rolldownOptions: { checks: { pluginTimings: false } },
    },
    server: { host: "127.0.0.1", port: 4790 },
    preview: { host: "127.0.0.1", port: 4780 },
  };
});
