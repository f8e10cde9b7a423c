/** The drawer with one server's policy: as a form, as its YAML block, and its revisions. */
import { A, useBeforeLeave, useParams } from "@solidjs/router";
import { createSignal, type JSX, lazy, onCleanup, Show, Suspense } from "solid-js";
import type { ServerView } from "../../../worker/api";
import { Empty } from "../../parts/empty";
import { Tabs } from "../../parts/tabs";
import { createServer, state } from "../../projection";
import { nameIn, serverPath } from "../servers/paths";
import style from "./policy.module.css";
import { PolicyForm } from "./policy-form";
import { Revisions } from "./revisions";
import { type Leaving, UnsavedDialog } from "./unsaved";

const BlockEditor = lazy(() => import("./block-editor").then((m) => ({ default: m.BlockEditor })));

export function PolicyView(): JSX.Element {
  const params = useParams<{ name: string }>();
  const name = (): string => nameIn(params.name);
  const server = createServer(name);
  return (
    <Show
      when={server()}
      fallback={
        <Show when={state.ready}>
          <Empty title={`No server named ${name()}`}>A policy belongs to a registered server.</Empty>
        </Show>
      }
    >
      {(found) => (
        // A draft belongs to one server: another name is another page.
        <Show when={found().name} keyed>
          {(_) => <Page server={found()} />}
        </Show>
      )}
    </Show>
  );
}

type TabId = "form" | "yaml";

function Page(props: { readonly server: ServerView }): JSX.Element {
  const [tab, setTab] = createSignal<TabId>("form");
  const [dirty, setDirty] = createSignal(false);
  const [leaving, setLeaving] = createSignal<Leaving | null>(null);

  useBeforeLeave((event) => {
    if (!dirty() || event.defaultPrevented) return;
    event.preventDefault();
    setLeaving({ go: () => event.retry(true) });
  });
  const onUnload = (event: BeforeUnloadEvent): void => {
    if (dirty()) event.preventDefault();
  };
  addEventListener("beforeunload", onUnload);
  onCleanup(() => removeEventListener("beforeunload", onUnload));

  const choose = (next: TabId): void => {
    const go = (): void => {
      setDirty(false);
      setTab(next);
    };
    if (next === tab()) return;
    if (dirty()) setLeaving({ go });
    else go();
  };

  return (
    <article class={style.page}>
      <header class={style.head}>
        <p class={style.crumb}>
          <A href={serverPath(props.server.name)}>{props.server.name}</A>
        </p>
        <h1>Policy</h1>
        <p class={style.soft}>
          Revision {props.server.policy.revision}. A saved change makes a new one and drops this server's stored
          decisions, and only this server's.
        </p>
      </header>
      <Tabs
        label="How to edit the policy"
        value={tab()}
        onChange={(id) => choose(id === "yaml" ? "yaml" : "form")}
        tabs={[
          { id: "form", label: "Form", panel: () => <PolicyForm server={props.server} onDirty={setDirty} /> },
          { id: "yaml", label: "YAML", panel: () => <BlockEditor server={props.server} onDirty={setDirty} /> },
        ]}
      />
      <Suspense>
        <Revisions server={props.server} />
      </Suspense>
      <UnsavedDialog
        leaving={leaving()}
        onStay={() => setLeaving(null)}
        onLeave={(go) => {
          setLeaving(null);
          setDirty(false);
          go();
        }}
      />
    </article>
  );
}
