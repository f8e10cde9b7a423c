/** Every consent dialog a tab ever showed, however short it stood. */
import type { Page } from "@playwright/test";

export interface DialogCount {
  /** How many since counting began. */
  total(): Promise<number>;
}

export async function countDialogs(page: Page): Promise<DialogCount> {
  const count = await page.evaluateHandle(() => {
    const seen = new WeakSet<Node>();
    const counted = { total: 0 };
    const look = () => {
      for (const dialog of document.querySelectorAll("[role=alertdialog]")) {
        if (seen.has(dialog)) continue;
        seen.add(dialog);
        counted.total += 1;
      }
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    look();
    return counted;
  });
  return { total: () => count.evaluate(({ total }) => total) };
}
