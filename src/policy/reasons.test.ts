import { expect, test } from "vitest";
import { REASONS } from "./reasons";

test("[W] the table of reasons, pinned: code, retryable, lifetime, wait, raise", () => {
  const rows = Object.entries(REASONS).map(
    ([reason, row]) => `${reason} ${row.code} ${row.retryable} ${row.storedUntil} ${row.retryAfterMs} ${row.raise}`,
  );
  expect(rows).toEqual([
    "policy.sampling_disabled -32003 false policy_edit 0 null",
    "policy.no_permitted_model -32003 false policy_edit 0 null",
    "policy.model_unpriced -32003 false policy_or_price_edit 0 null",
    "policy.input_too_large -32003 false policy_edit 0 null",
    "policy.budget_exhausted -32003 false window_reset_or_budget_grant 0 usd",
    "policy.rate_limit -32004 true retry_at_or_rate_grant 60000 requests",
    "policy.concurrency -32004 true retry_at 2000 null",
    "consent.pending -32004 true never_stored 30000 null",
    "user.denied -1 false policy_edit 0 null",
    "policy.deadline -32004 true retry_at 30000 null",
    "provider.unavailable -32004 true retry_at 30000 null",
    "provider.rejected -32003 false policy_or_provider_edit 0 null",
    "provider.unsupported_content -32003 false policy_or_provider_edit 0 null",
    "storage.unavailable -32003 false never_stored 0 null",
  ]);
});

test("[W2] -32004 exactly where retryable", () => {
  for (const row of Object.values(REASONS)) expect(row.code === -32004).toBe(row.retryable);
});

test("[K2-16] no code of ours means something else to a library in use, nor to the protocol", () => {
  const taken = [-32700, -32600, -32601, -32603, -32000, -32001, -32002, -32020, -32021, -32022, -32042];
  for (const { code } of Object.values(REASONS)) expect(taken).not.toContain(code);
});
