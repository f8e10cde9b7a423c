/** Profile, providers, prices, storage. Secrets go in and never come out. */
import { type DroppingEvent, droppedBy } from "../../policy/decision";
import { REASONS, type Reason } from "../../policy/reasons";
import type { Answer, DemoInfo, PurserApi, SettingsView } from "../api";
import type { ProviderRegistry } from "../providers/registry";
import { DEFAULT_DAYS, daysIn, RECORD_DAYS } from "../storage/retention";
import type { LogEvent, Store } from "../storage/store";
import { answering, done, refuse } from "./answers";

const PROFILE_KEY = "profileName";
const PROFILE_MAX = 60;
/** Ten years; what is summed by day is kept for good anyway (L4). */
const RECORD_DAYS_MAX = 3_650;

type SettingsCommands = Pick<
  PurserApi,
  | "setProfileName"
  | "setProviderKey"
  | "clearProviderKey"
  | "setProviderBaseUrl"
  | "setPrice"
  | "setRecordDays"
  | "notePersistence"
  | "confirmStorageLoss"
>;

export interface Settings {
  readonly commands: SettingsCommands;
  load(): Promise<void>;
  profileName(): string;
  view(): SettingsView;
}

export interface SettingsDeps {
  readonly store: Pick<Store, "setting" | "putSetting" | "addEvent" | "dropDecisions" | "health" | "confirmLoss">;
  readonly registry: ProviderRegistry;
  readonly now: () => number;
  readonly newId: () => string;
  readonly demo: () => DemoInfo | null;
  readonly onChanged: () => void;
  /** `navigator.storage.persisted()`. */
  readonly isPersisted: () => Promise<boolean>;
  /** The person has seen what storage lost; servers may be used again. */
  readonly onLossConfirmed: () => void;
}

export function createSettings(deps: SettingsDeps): Settings {
  const { store, registry } = deps;
  let profile = "";
  let recordDays = DEFAULT_DAYS;
  /** The newest answer of the browser; null while only storage's own reading is known. */
  let persisted: boolean | null = null;

  async function logged(kind: LogEvent["kind"], text: string): Promise<void> {
    await store.addEvent({ id: deps.newId(), at: deps.now(), server: null, kind, text, by: profile });
    deps.onChanged();
  }

  async function applied(problem: Promise<string | null>, where: string, text: string): Promise<Answer> {
    const said = await problem;
    if (said !== null) return refuse(where, said);
    await store.dropDecisions(endedBy("provider_edit"));
    await logged("provider_edited", text);
    return done;
  }

  return {
    async load() {
      profile = (await store.setting<string>(PROFILE_KEY)) ?? "";
      recordDays = daysIn(await store.setting(RECORD_DAYS));
    },
    profileName: () => profile,
    view: () => ({
      profileName: profile,
      providers: registry.views(),
      prices: registry.prices(),
      pricesAsOf: registry.catalog().pricesAsOf,
      recordDays,
      storage: { ...store.health(), ...(persisted === null ? {} : { persisted }) },
      demo: deps.demo(),
    }),
    commands: {
      setProfileName: (name) =>
        answering(async () => {
          const text = name.trim().normalize("NFC");
          if (text === "") return refuse("profileName", "Give a name; it goes on every grant");
          if (text.length > PROFILE_MAX) return refuse("profileName", `A name has at most ${PROFILE_MAX} characters`);
          await store.putSetting(PROFILE_KEY, text);
          profile = text;
          deps.onChanged();
          return done;
        }),
      setProviderKey: (provider, key, remember) =>
        answering(() => applied(registry.setKey(provider, key, remember), "key", `A key for ${provider} was set`)),
      clearProviderKey: (provider) =>
        answering(() => applied(registry.clearKey(provider), "key", `The key for ${provider} was forgotten`)),
      setProviderBaseUrl: (provider, url, models) =>
        answering(() => applied(registry.setBaseUrl(provider, url, models), "baseUrl", addressed(provider, url))),
      setPrice: (model, price) =>
        answering(async () => {
          const problem = await registry.setPrice(model, price);
          if (problem !== null) return refuse("price", problem);
          await store.dropDecisions(endedBy("price_edit"));
          await logged(
            "price_edited",
            price === null ? `${model} is priced by the table again` : `A price for ${model} was set`,
          );
          return done;
        }),
      setRecordDays: (days) =>
        answering(async () => {
          if (!Number.isInteger(days) || days < 1 || days > RECORD_DAYS_MAX) {
            return refuse("recordDays", `Give a whole number of days from 1 to ${RECORD_DAYS_MAX}`);
          }
          await store.putSetting(RECORD_DAYS, days);
          recordDays = days;
          deps.onChanged();
          return done;
        }),
      notePersistence: () =>
        answering(async () => {
          persisted = await deps.isPersisted();
          deps.onChanged();
          return { ok: true, persisted };
        }),
      confirmStorageLoss: () =>
        answering(async () => {
          await store.confirmLoss(profile, deps.now());
          deps.onLossConfirmed();
          deps.onChanged();
          return done;
        }),
    },
  };
}

/** The reasons whose stored decisions end with this edit (W). */
function endedBy(event: DroppingEvent): readonly Reason[] {
  return (Object.keys(REASONS) as Reason[]).filter((reason) => droppedBy(event, reason));
}

function addressed(provider: string, url: string): string {
  return url.trim() === "" ? `${provider} is called at its own address again` : `${provider} now calls ${url.trim()}`;
}
