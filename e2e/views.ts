/** Every view of the product with something in it, for the specs that look at all of them. */
import type { Page } from "@playwright/test";
import { expect } from "./fixtures";
import type { Purser } from "./purser";

export interface View {
  readonly name: string;
  readonly route: string;
}

export const VIEWS: readonly View[] = [
  { name: "work", route: "/" },
  { name: "servers", route: "/servers" },
  { name: "server", route: "/servers/ci-triage" },
  { name: "tool", route: "/servers/ci-triage/tools/triage_failures" },
  { name: "policy", route: "/servers/ci-triage/policy" },
  { name: "activity", route: "/activity" },
  { name: "policies", route: "/policies" },
  { name: "settings", route: "/settings" },
];

export const LOOKS = [
  { name: "1280-light", width: 1280, height: 800, colorScheme: "light" },
  { name: "1280-dark", width: 1280, height: 800, colorScheme: "dark" },
  { name: "390-light", width: 390, height: 844, colorScheme: "light" },
  { name: "390-dark", width: 390, height: 844, colorScheme: "dark" },
] as const;

export type Look = (typeof LOOKS)[number];

export async function wear(page: Page, look: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width: look.width, height: look.height });
}

/** What does not fit: a view that scrolls sideways, a folded line that is cut off. */
export function misfits(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const wide = [...document.querySelectorAll("html, main, aside, dialog")].filter(
      (element) => element.scrollWidth > element.clientWidth,
    );
    const cut = [...document.querySelectorAll("details:not([open])")].filter(
      (element) => element.scrollHeight > element.clientHeight + 1,
    );
    return [
      ...wide.map((element) => `${element.tagName} by ${element.scrollWidth - element.clientWidth} px`),
      ...cut.map((element) => `${element.tagName} is cut off: ${element.textContent.slice(0, 80)}`),
    ];
  });
}

/**
 * Demo servers connected, one run with completions, trimmings and a budget that ran out.
 * @param atConsent what to do while the consent is open
 */
export async function furnish(purser: Purser, atConsent?: () => Promise<void>): Promise<void> {
  await purser.connectDemo();
  await purser.waitForState("ci-triage", "connected");
  const run = await purser.runTool("ci-triage", "triage_failures");
  if (atConsent !== undefined) {
    await expect(purser.consent("ci-triage").getByRole("button", { name: "Allow this one" })).toBeEnabled();
    await atConsent();
  }
  await purser.answerConsent("ci-triage", "allow_session");
  await run.waitEnded(/done/, 60_000);
}

/** Goes to a view and waits until it has loaded what it shows. */
export async function show(purser: Purser, view: View): Promise<void> {
  await purser.go(view.route);
  await expect(
    purser.page.getByText(/^(Opening…|Reading the log…|Reading the policies…|Opening the editor…)$/),
  ).toHaveCount(0);
  await purser.page.waitForTimeout(150);
}
