import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  page.on("pageerror", (error) => console.log(`[pageerror] ${error.stack}`));
  await page.goto(`file://${fileURLToPath(new URL("checkout.html", import.meta.url))}`);
});

test("a card number with spaces may pay", async ({ page }) => {
  await page.getByLabel("Card number").fill("4242 4242 4242 4242");
  await page.getByLabel("Card number").blur();
  await expect(page.getByRole("button", { name: "Pay" })).toBeEnabled({ timeout: 2000 });
});

test("paying says so", async ({ page }) => {
  await page.getByLabel("Card number").fill("4242424242424242");
  await page.getByLabel("Card number").blur();
  await page.getByRole("button", { name: "Pay" }).click();
  await expect(page.getByRole("status")).toHaveText("Paid", { timeout: 2000 });
});
