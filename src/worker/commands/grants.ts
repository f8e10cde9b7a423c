/** Raises, consents and quiet: the person's bounded yes and its end (SPEC G, K). */
import type { Grant } from "../../policy/account";
import { raiseFor } from "../../policy/grant";
import type { PurserApi } from "../api";
import type { Roster } from "../roster";
import type { Desk } from "../sampling/consent-desk";
import type { Store } from "../storage/store";
import { answering, done, refuse } from "./answers";

type GrantCommands = Pick<PurserApi, "raise" | "answerDialog" | "revokeConsents" | "listenAgain">;

export interface GrantCommandDeps {
  readonly store: Store;
  readonly roster: Roster;
  readonly desk: Desk;
  readonly now: () => number;
  readonly newId: () => string;
  readonly profileName: () => string;
  readonly onGranted: (grant: Grant) => void;
  /** Runs the tool call of this record again; null where it is not known any more. */
  readonly runAgain: (runId: string) => Promise<string | null>;
}

export function grantCommands(deps: GrantCommandDeps): GrantCommands {
  const { store } = deps;
  return {
    raise: (recordId, runAgain) =>
      answering(async () => {
        const by = deps.profileName();
        if (by === "") return refuse("profileName", "Say who is granting this first");
        const record = await store.record(recordId);
        if (record === undefined) return refuse("record", "That record is not kept any more");
        const now = deps.now();
        const [policy, account] = await Promise.all([store.policy(record.server), store.account(record.server, now)]);
        const offer = raiseFor(record, policy, account, now);
        if (offer === null) return refuse("record", "No quantity ran out here, so there is nothing to raise");
        const grant: Grant = {
          id: deps.newId(),
          server: record.server,
          kind: offer.kind,
          amount: offer.amount,
          left: offer.amount,
          grantedAt: now,
          expiresAt: offer.expiresAt,
          grantedBy: by,
          recordId,
        };
        if (!(await store.addGrant(grant, now))) {
          return refuse("record", "Nothing was raised: it was raised on this request already, or the server is off");
        }
        deps.onGranted(grant);
        const runId = runAgain && record.runId !== null ? await deps.runAgain(record.runId) : null;
        return { ok: true, grant, runId };
      }),
    answerDialog: (id, answer) =>
      answering(async () =>
        (await deps.desk.answer(id, answer)) ? done : refuse("dialog", "This request was answered or withdrawn"),
      ),
    revokeConsents: (server) =>
      answering(async () => {
        await store.revokeConsents(server, deps.profileName(), deps.now());
        deps.roster.refresh(server);
        return done;
      }),
    listenAgain: (server) =>
      answering(async () => {
        await store.listenAgain(server, deps.profileName(), deps.now());
        deps.roster.refresh(server);
        return done;
      }),
  };
}
