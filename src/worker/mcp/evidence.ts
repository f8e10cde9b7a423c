import { isLoopback, isPrivate } from "./local-network";
import { visible } from "./spelled";

/** What the last exchange over HTTP showed. SDK errors differ by phase and lose half of this; the plain words need it. */
export interface Evidence {
  last:
    | { readonly kind: "none" }
    /** `fetch` itself failed: unreachable, blocked by CORS, or blocked by the browser; a page cannot tell which. */
    | { readonly kind: "network" }
    /** `location` is null where the browser hides it. */
    | { readonly kind: "redirect"; readonly location: string | null }
    | { readonly kind: "html"; readonly status: number }
    | { readonly kind: "status"; readonly status: number; readonly text: string }
    | { readonly kind: "ok" };
  /** Any readable answer came at all. */
  answered: boolean;
  /** A session id could be read. */
  session: boolean;
}

export function noEvidence(): Evidence {
  return { last: { kind: "none" }, answered: false, session: false };
}

const MAX_TARGET_CHARS = 500;

/** Why a connection could not be made or was lost, for the person. */
export interface Trouble {
  readonly problem: string;
  readonly hint: string;
  /** Worth trying again by itself, once the connection has stood before. */
  readonly passing: boolean;
}

/**
 * @param pageUrl address of the page, or null where there is none
 * @param withHeaders whether the person set request headers for this server
 */
export function troubleOf(evidence: Evidence, url: string, pageUrl: string | null, withHeaders: boolean): Trouble {
  const { last } = evidence;
  const { host } = new URL(url);
  if (/^wss?:/i.test(url)) return socketTrouble(url, pageUrl);
  switch (last.kind) {
    case "redirect":
      return redirected(last.location, url);
    case "html":
      return {
        problem: `${host} answered with a web page instead of MCP.`,
        hint: `This may be a sign-in page or the wrong path. Try ${slashVariant(url)}, or check the address in the server's documentation.`,
        passing: false,
      };
    case "status":
      return refusedWith(last.status, last.text, evidence, host, withHeaders);
    case "network":
      return unreachable(url, pageUrl, evidence.answered);
    default:
      return {
        problem: `${host} did not complete the MCP handshake.`,
        hint: "It answered, but not as an MCP server this client understands. Check the address and the server's protocol version.",
        passing: true,
      };
  }
}

function socketTrouble(url: string, pageUrl: string | null): Trouble {
  const { host, protocol, hostname } = new URL(url);
  if (protocol === "ws:" && pageUrl?.startsWith("https:") === true && !isLoopback(hostname))
    return blocked(host, "wss:");
  return {
    problem: `The WebSocket to ${host} could not be opened, or was closed.`,
    hint: "It may not be running, may not speak the subprotocol mcp, may refuse this page's origin, or a proxy may block WebSockets. A browser does not say which.",
    passing: true,
  };
}

/** The page is secure and the server's address is not. */
function blocked(host: string, scheme: string): Trouble {
  return {
    problem: `The browser blocks ${host}: a secure page may not call a plain address.`,
    hint: `Use ${scheme} for the server, or open Purser from localhost.`,
    passing: false,
  };
}

function redirected(location: string | null, url: string): Trouble {
  const problem = `${new URL(url).host} redirects this address to another one.`;
  if (location === null) {
    const hint = `Redirects are not followed, so that no header reaches another server, and the browser does not show the target. Often only the slash at the end differs: try ${slashVariant(url)}.`;
    return { problem, hint, passing: false };
  }
  const target = new URL(location, url);
  if (target.protocol === "http:" && new URL(url).protocol === "https:") target.protocol = "https:";
  target.search = "";
  const hint = `Redirects are not followed, so that no header reaches another server. If you trust it, use ${visible(target.href, MAX_TARGET_CHARS)} instead.`;
  return { problem, hint, passing: false };
}

function refusedWith(status: number, text: string, evidence: Evidence, host: string, withHeaders: boolean): Trouble {
  if (status === 401 || status === 403) {
    const hint = withHeaders
      ? "The headers set for this server were not accepted. Check the token, or whether it has expired."
      : "It wants to know who you are. Edit the server and add the header it asks for, for example Authorization: Bearer …";
    return { problem: `${host} refuses access (HTTP ${status}).`, hint, passing: false };
  }
  if (!evidence.session && evidence.answered && isSessionProblem(status, text)) {
    return {
      problem: `${host} opened a session, but its session id cannot be read from a browser.`,
      hint: "The server must send the header Access-Control-Expose-Headers: Mcp-Session-Id.",
      passing: false,
    };
  }
  if (status === 404 || status === 405) {
    const hint = "There is no MCP endpoint at this path. Compare it with what the server's documentation says.";
    return { problem: `${host} knows no MCP at this address (HTTP ${status}).`, hint, passing: false };
  }
  const passing = status === 408 || status === 429 || status >= 500;
  const hint = passing
    ? "The trouble is on the server's side; try again in a while."
    : "The server did not accept the request.";
  return { problem: `${host} answered with an error (HTTP ${status}).`, hint, passing };
}

function unreachable(url: string, pageUrl: string | null, answered: boolean): Trouble {
  const { host, protocol, hostname } = new URL(url);
  const page = pageUrl === null ? null : new URL(pageUrl);
  const mayAsk = page !== null && !isLoopback(page.hostname) && isPrivate(hostname);
  if (!mayAsk && page?.protocol === "https:" && protocol === "http:" && !isLoopback(hostname)) {
    return blocked(host, "https:");
  }
  const reasons = [
    "It may not be running",
    "it may not allow this page (CORS)",
    "or it may ask for sign-in before it allows the browser's preflight (OPTIONS)",
  ];
  if (mayAsk) {
    reasons.unshift(
      "The browser may be waiting for your permission to reach devices on the local network: allow it in the address bar and retry",
    );
  }
  const problem = answered
    ? `${host} stopped answering.`
    : `${host} could not be reached, or does not allow this page to read its answers.`;
  const hint = `${reasons.join("; ")}. A browser does not say which. The server must allow the origin ${page?.origin ?? "of this page"}, the methods GET, POST and DELETE, the headers content-type, authorization, mcp-protocol-version, mcp-session-id and last-event-id by name (* does not cover authorization in every browser), and expose Mcp-Session-Id.`;
  return { problem, hint, passing: true };
}

/** An unknown or missing session, as servers in the field answer it. */
export function isSessionProblem(status: number, text: string): boolean {
  return status === 404 || (status === 400 && /session|initiali[sz]/i.test(text));
}

function slashVariant(url: string): string {
  const other = new URL(url);
  other.pathname = other.pathname.endsWith("/") ? other.pathname.slice(0, -1) : `${other.pathname}/`;
  other.search = "";
  return other.href;
}
