/** The frame of the screen: skip link, bar with the main navigation, servers, panes, consent dialogs. */
import { A, HashRouter, useLocation } from "@solidjs/router";
import FileText from "lucide-solid/icons/file-text";
import Receipt from "lucide-solid/icons/receipt-text";
import Server from "lucide-solid/icons/server";
import Settings from "lucide-solid/icons/settings-2";
import Terminal from "lucide-solid/icons/terminal";
import { createEffect, For, type JSX, lazy, type ParentProps, Suspense } from "solid-js";
import style from "./app.module.css";
import { Banners } from "./banners";
import { Icon, type IconComponent } from "./parts/icon";
import { landmark } from "./parts/landmark";
import { usePhone } from "./parts/media";
import { dollars } from "./parts/words";
import { spentMicros, state } from "./projection";
import { Routes } from "./routes";
import { AddServerDialog } from "./views/servers/add-server";
import { nameIn } from "./views/servers/paths";
import { ServerList } from "./views/servers/server-list";

const ConsentDialogs = lazy(() =>
  import("./views/consent/consent-dialog").then((m) => ({ default: m.ConsentDialogs })),
);

export function App(): JSX.Element {
  return (
    <HashRouter root={Frame}>
      <Routes />
    </HashRouter>
  );
}

interface Place {
  readonly href: string;
  readonly label: string;
  readonly icon: IconComponent;
  /** This path and those below it count as this place. */
  readonly under: string;
  readonly phoneOnly?: true;
}

const PLACES: readonly Place[] = [
  { href: "/servers", label: "Servers", icon: Server, under: "/servers", phoneOnly: true },
  { href: "/", label: "Work", icon: Terminal, under: "/" },
  { href: "/activity", label: "Activity", icon: Receipt, under: "/activity" },
  { href: "/policies", label: "Policies", icon: FileText, under: "/policies" },
  { href: "/settings", label: "Settings", icon: Settings, under: "/settings" },
];

function Frame(props: ParentProps): JSX.Element {
  const location = useLocation();
  const phone = usePhone();
  /** Which single pane a phone shows. */
  const pane = (): "servers" | "main" | "drawer" => {
    if (location.pathname === "/servers") return "servers";
    return /^\/(servers|activity)\/./.test(location.pathname) ? "drawer" : "main";
  };
  createEffect(() => {
    const asking = state.dialogs.length > 0 ? `(${state.dialogs.length}) ` : "";
    document.title = `${asking}${placeOf(location.pathname)} · Purser`;
  });
  return (
    <div class={style.frame} data-pane={pane()}>
      <button type="button" class={style.skip} onClick={skipToMain}>
        Skip to the work
      </button>
      {/* Early in the tab order: a server waits for whoever has to answer. */}
      <Suspense>
        <ConsentDialogs />
      </Suspense>
      <header class={style.bar}>
        <h1 class={style.brand}>Purser</h1>
        <Spent />
      </header>
      <MainNavigation path={location.pathname} />
      <Banners />
      <div
        {...landmark("Servers", phone() && pane() === "servers")}
        aria-busy={state.ready ? "false" : "true"}
        tabIndex={-1}
        class={style.servers}
      >
        <ServerList />
      </div>
      {props.children}
      <AddServerDialog />
    </div>
  );
}

/** For the tab and the history: a server's own name, else the place. */
function placeOf(path: string): string {
  const [, place = "", name] = path.split("/");
  if (place === "servers" && name) return nameIn(name);
  return PLACES.find(({ href }) => href === `/${place}`)?.label ?? "Work";
}

/** A button, because the hash is the route. On a phone the drawer or the list may be all there is. */
function skipToMain(): void {
  for (const selector of ["main", "[aria-label=Details]", "[aria-label=Servers]"]) {
    const target = document.querySelector<HTMLElement>(selector);
    if (target?.checkVisibility()) return target.focus();
  }
}

function MainNavigation(props: { readonly path: string }): JSX.Element {
  const phone = usePhone();
  const isUnder = (path: string): boolean => props.path === path || (path !== "/" && props.path.startsWith(`${path}/`));
  const isHere = (place: Place): boolean =>
    // On a desk a server's drawer lies beside the work, so that is where one is.
    isUnder(place.under) || (place.label === "Work" && !phone() && isUnder("/servers"));
  return (
    <nav aria-label="Main" class={style.nav}>
      <ul>
        <For each={PLACES}>
          {(place) => (
            <li data-phone-only={place.phoneOnly ? "" : undefined}>
              <A
                href={place.href}
                class={style.place}
                activeClass=""
                inactiveClass=""
                data-here={isHere(place) ? "" : undefined}
                aria-current={isHere(place) ? "page" : undefined}
              >
                <Icon of={place.icon} />
                {place.label}
              </A>
            </li>
          )}
        </For>
      </ul>
    </nav>
  );
}

function Spent(): JSX.Element {
  return (
    <p class={style.spent} data-ready={state.ready ? "" : undefined}>
      spent in open windows <strong>{dollars(spentMicros())}</strong>
    </p>
  );
}
