/**
 * The response headers of every file, in one place for the dev server, the preview, `npm start` and static hosts.
 *
 * Page and worker carry different policies. A worker is bound by the policy its own script came with, never by the
 * page's, so only the worker can reach servers and providers: a script that slipped into the page could send nothing.
 */

/** Folder of the build that holds the worker's script and chunks, and nothing else. */
export const WORKER_FOLDER = "worker";

type Directives = Readonly<Record<string, string>>;

const PAGE: Directives = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "worker-src": "'self'",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "purser-worker purser-templates",
};

const WORKER: Directives = {
  "default-src": "'none'",
  "script-src": "'self'",
  "connect-src": "http: https: ws: wss:",
  "frame-ancestors": "'none'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "require-trusted-types-for": "'script'",
  "trusted-types": "'none'",
};

const COMMON = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  // `frame-ancestors` again, for what does not know it.
  "X-Frame-Options": "DENY",
} as const;

export type Kind = "page" | "worker";

/** Which of the two policies a path of the build gets. */
export const kindOf = (path: string): Kind => (path.startsWith(`/${WORKER_FOLDER}/`) ? "worker" : "page");

/** Headers for one kind of file. Dev alone adds what its hot reload needs: one nonce for styles, one policy name. */
export function securityHeaders(kind: Kind, dev?: { readonly styleNonce: string }): Record<string, string> {
  const page = dev
    ? {
        ...PAGE,
        "style-src": `'self' 'nonce-${dev.styleNonce}'`,
        // Chromium counts ws: to this host as 'self'; other browsers need it named.
        "connect-src": "'self' ws://127.0.0.1:* ws://localhost:*",
      }
    : PAGE;
  const directives = Object.entries(kind === "worker" ? WORKER : page);
  return { "Content-Security-Policy": directives.map(([name, value]) => `${name} ${value}`).join("; "), ...COMMON };
}

/** Files with a hash in their name never change; everything else is asked for again. */
export const cacheControl = (path: string): string =>
  /^\/(assets|worker)\//.test(path) ? "public, max-age=31536000, immutable" : "no-cache";

/**
 * The same for hosts that read a `_headers` file. No two patterns match one path: hosts join the headers of all that
 * match, and two joined policies both bind.
 */
export function headersFile(files: readonly string[]): string {
  const folders = ["/assets/*", `/${WORKER_FOLDER}/*`];
  const single = files.map((name) => `/${name}`).filter((path) => !/^\/(assets|worker)\//.test(path));
  return ["/", ...single, ...folders]
    .map((pattern) => {
      const headers = { ...securityHeaders(kindOf(pattern)), "Cache-Control": cacheControl(pattern) };
      return [pattern, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)].join("\n");
    })
    .join("\n\n")
    .concat("\n");
}
