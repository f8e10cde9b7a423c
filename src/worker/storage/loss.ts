/** A store that was there and comes back empty or shortened: noticed, said, and nothing allowed until confirmed (D7). */
import type { PolicyRevision } from "../../policy/policy";
import type { Changes } from "./changes";
import type { Guard } from "./db";
import { keptSince } from "./retention";
import type { PurserDb, UpgradeTx, WriteTx } from "./schema";
import { type LogEvent, type StorageHealth, StorageUnavailable } from "./store";
import { withRead, withWrite, write } from "./transact";
import { missingFrom, sawAnything, testify, WITNESSED_STORES, type Witness, type WitnessBox } from "./witness";

export type Lost = NonNullable<StorageHealth["lost"]>;

const LOSS = "loss";

export interface Loss {
  readonly guard: Guard;
  /** Null while storage is whole. */
  lost(): Lost | null;
  /** Throws `StorageUnavailable` while a loss waits to be confirmed. */
  check(): void;
  /** The policy as it counts now: nobody's sampling is allowed until a loss is confirmed. */
  inForce(policy: PolicyRevision): PolicyRevision;
  /** Brings the witness up to date with what was just committed. */
  testify(db: PurserDb): Promise<void>;
  /** Another tab confirmed, or found, a loss. */
  lookAgain(db: PurserDb): Promise<void>;
  confirm(db: PurserDb, event: LogEvent): Promise<void>;
}

export interface LossDeps {
  readonly box: WitnessBox;
  readonly changes: Changes;
  readonly now: () => number;
  readonly newId: () => string;
  /** A loss was found, or confirmed (null). */
  readonly onTurn: (lost: Lost | null) => void;
}

export function createLoss(deps: LossDeps): Loss {
  const { box, now } = deps;
  let lost: Lost | null = null;
  /** The newest witness this tab knows: it also tells when both stores are cleared under an open tab. */
  let known: Witness | null = null;

  function set(found: Lost | null): void {
    const turned = found?.since !== lost?.since;
    lost = found;
    if (turned) deps.onTurn(found);
  }

  function writeLoss(tx: WriteTx | UpgradeTx, found: Lost): void {
    write(tx.objectStore("meta").put(found, LOSS));
    write(tx.objectStore("events").put(eventOf(found, deps.newId(), now())));
  }

  async function read(db: PurserDb): Promise<Lost | null> {
    const noted = await withRead(db, ["meta"], (tx) => tx.objectStore("meta").get(LOSS));
    return noted === undefined ? null : { missing: [], ...(noted as Omit<Lost, "missing">) };
  }

  const guard: Guard = {
    async beforeOpen() {
      known = newer(known, await box.read());
    },
    created(tx, damaged) {
      if (known !== null || damaged) writeLoss(tx, lossOf(known, now()));
    },
    async opened(db) {
      const noted = await read(db);
      if (noted !== null) return set(noted);
      if (known === null) {
        set(null);
        // It may be the witness that was deleted: what is here is worth remembering again.
        return testifyOf(db);
      }
      const witness = known;
      const missing = await withRead(db, WITNESSED_STORES, async (tx) =>
        missingFrom(tx, witness, await keptSince(tx, now())),
      );
      if (missing.length === 0) return set(null);
      const found = lossOf(witness, now(), missing);
      await withWrite(db, ["meta", "events"], "strict", async (tx) => writeLoss(tx, found));
      set(found);
      deps.changes.say("look_again");
    },
  };

  async function testifyOf(db: PurserDb): Promise<void> {
    // While a loss is unconfirmed the old witness is all that is left of what was lost.
    if (lost !== null) return;
    const witness = await withRead(db, WITNESSED_STORES, (tx) => testify(tx, now()));
    if (lost !== null || !sawAnything(witness)) return;
    known = witness;
    await box.write(witness);
  }

  return {
    guard,
    lost: () => lost,
    check() {
      if (lost !== null) throw new StorageUnavailable("lost", "What Purser had stored is gone; confirm the loss first");
    },
    inForce: (policy) => (lost === null ? policy : { ...policy, policy: { ...policy.policy, allowSampling: false } }),
    testify: testifyOf,
    async lookAgain(db) {
      set(await read(db));
    },
    async confirm(db, event) {
      await withWrite(db, ["meta", "events", "accounts"], "strict", async (tx) => {
        // A yes from before may be to a policy that is gone, under a revision that is given out again.
        for (const account of await tx.objectStore("accounts").getAll()) {
          write(tx.objectStore("accounts").put({ ...account, consents: [] }));
        }
        write(tx.objectStore("meta").delete(LOSS));
        write(tx.objectStore("events").put(event));
      });
      set(null);
      await testifyOf(db);
      deps.changes.say("look_again");
    },
  };
}

function newer(a: Witness | null, b: Witness | null): Witness | null {
  if (a === null || b === null) return a ?? b;
  return a.at > b.at ? a : b;
}

function lossOf(witness: Witness | null, now: number, missing: readonly string[] = []): Lost {
  return { servers: witness?.servers ?? [], since: witness?.at ?? now, missing };
}

function eventOf({ servers, since, missing }: Lost, id: string, now: number): LogEvent {
  const held = servers.length === 0 ? "" : ` It held ${servers.join(", ")}.`;
  const what = missing.length === 0 ? held : `${held} Missing: ${missing.join(", ")}.`;
  const text = `Stored data was lost: it was last whole at ${new Date(since).toISOString()}.${what} Every server is off until this is confirmed.`;
  return { id, at: now, server: null, kind: "storage", text, by: "" };
}
