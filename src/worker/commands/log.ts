/** Reading the activity log, and forgetting a decision. */
import { grantsByDay } from "../../policy/grant";
import type { PurserApi } from "../api";
import type { Store } from "../storage/store";
import { answering, done } from "./answers";

type LogCommands = Pick<
  PurserApi,
  "records" | "record" | "events" | "days" | "grantDays" | "decisions" | "forgetDecision"
>;

/** A page asked for more rows than this gets this many. */
const MAX_PAGE = 500;

export function logCommands(store: Store, now: () => number, profileName: () => string): LogCommands {
  return {
    records: (filter, before, limit) => store.records(filter, before, Math.min(limit, MAX_PAGE)),
    record: async (id) => (await store.record(id)) ?? null,
    events: (before, limit) => store.events(before, Math.min(limit, MAX_PAGE)),
    days: (from, to) => store.days(from, to),
    grantDays: async (server) => grantsByDay(await store.grants(server, 0)),
    decisions: (server) => store.decisions(server),
    forgetDecision: (identity) =>
      answering(async () => {
        await store.forgetDecision(identity, profileName(), now());
        return done;
      }),
  };
}
