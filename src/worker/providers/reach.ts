const PROBE_MS = 2_000;

/**
 * Whether a call that broke before any byte of an answer may have reached the provider. Browsers do not say why a
 * fetch failed, so the same address is asked once more: where even that finds nobody, the call never left (M3, K4-06).
 */
export async function mayHaveLeft(url: string, fetcher: typeof fetch): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    await fetcher(url, { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store", signal });
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError";
  }
}
