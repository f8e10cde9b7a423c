/** The middle pane of each place and, beside it, the drawer for what is being looked at. On a phone: one of them. */
import { useLocation } from "@solidjs/router";
import X from "lucide-solid/icons/x";
import { createSignal, ErrorBoundary, type JSX, lazy, type ParentProps, Show, Suspense } from "solid-js";
import style from "./app.module.css";
import { Button, LinkButton } from "./parts/button";
import { Empty } from "./parts/empty";
import { landmark } from "./parts/landmark";
import { usePhone } from "./parts/media";
import { WorkView } from "./views/work/work-view";

// The work view is what nearly everyone opens first: it comes with the shell, without a second round trip.
const ActivityView = lazy(() => import("./views/activity/activity-view").then((m) => ({ default: m.ActivityView })));
const PolicyFileView = lazy(() =>
  import("./views/policy/policy-file-view").then((m) => ({ default: m.PolicyFileView })),
);
const SettingsView = lazy(() => import("./views/settings/settings-view").then((m) => ({ default: m.SettingsView })));

export function WorkPane(props: ParentProps): JSX.Element {
  const location = useLocation();
  const wide = (): boolean => location.pathname.endsWith("/policy");
  return (
    <Panes under="/servers/" wide={wide()} drawer={props.children} back="/servers">
      <WorkView />
    </Panes>
  );
}

export function ActivityPane(props: ParentProps): JSX.Element {
  return (
    <Panes under="/activity/" wide={false} drawer={props.children} back="/activity">
      <ActivityView />
    </Panes>
  );
}

export function PolicyFilePane(): JSX.Element {
  return (
    <Main>
      <PolicyFileView />
    </Main>
  );
}

export function SettingsPane(): JSX.Element {
  return (
    <Main>
      <SettingsView />
    </Main>
  );
}

function Panes(props: {
  /** Paths below this open the drawer. */
  readonly under: string;
  readonly wide: boolean;
  readonly drawer: JSX.Element;
  readonly back: string;
  readonly children: JSX.Element;
}): JSX.Element {
  const location = useLocation();
  const open = (): boolean =>
    location.pathname.startsWith(props.under) && location.pathname.length > props.under.length;
  return (
    <>
      <Main>{props.children}</Main>
      <Show when={open()}>
        <Drawer wide={props.wide} back={props.back}>
          {props.drawer}
        </Drawer>
      </Show>
    </>
  );
}

function Main(props: ParentProps): JSX.Element {
  return (
    <main id="main" tabIndex={-1} class={style.main}>
      <Guarded>{props.children}</Guarded>
    </main>
  );
}

function Drawer(props: ParentProps & { readonly wide: boolean; readonly back: string }): JSX.Element {
  const location = useLocation();
  const phone = usePhone();
  let drawer: HTMLElement | undefined;
  /** The bar lies over what scrolls below it only once something does. */
  const [scrolled, setScrolled] = createSignal(false);
  // On a phone the list lies behind the drawer; on a desk closing means going back to the pane itself.
  const close = (): string => (props.back === "/servers" && !phone() ? "/" : props.back);
  return (
    <div
      ref={(element) => {
        drawer = element;
      }}
      {...landmark("Details", phone())}
      tabIndex={-1}
      class={style.drawer}
      data-wide={props.wide ? "" : undefined}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop > 4)}
    >
      <div class={style.drawerBar} data-over={scrolled() ? "" : undefined}>
        <LinkButton href={close()} tone="quiet" small icon={X}>
          Close
        </LinkButton>
      </div>
      <Show when={location.pathname} keyed>
        {(_) => {
          drawer?.scrollTo(0, 0);
          return null;
        }}
      </Show>
      <Guarded>{props.children}</Guarded>
    </div>
  );
}

/** A view that loads shows that it does; one that breaks says so and leaves the rest of the screen alone. */
function Guarded(props: ParentProps): JSX.Element {
  return (
    <ErrorBoundary
      fallback={(error: unknown, reset) => (
        <Empty title="This view stopped" actions={<Button onClick={reset}>Show it again</Button>}>
          <p>{error instanceof Error ? error.message : String(error)}</p>
        </Empty>
      )}
    >
      <Suspense fallback={<p class={style.opening}>Opening…</p>}>{props.children}</Suspense>
    </ErrorBoundary>
  );
}
