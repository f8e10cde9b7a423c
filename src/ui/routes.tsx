/** Hash routes to panes. Every view is its own chunk; the middle pane stays while the drawer changes. */
import { Route } from "@solidjs/router";
import { type JSX, lazy } from "solid-js";
import { ActivityPane, PolicyFilePane, SettingsPane, WorkPane } from "./panes";

const ServerView = lazy(() => import("./views/servers/server-view").then((m) => ({ default: m.ServerView })));
const ToolFormView = lazy(() => import("./views/work/tool-form").then((m) => ({ default: m.ToolFormView })));
const PolicyView = lazy(() => import("./views/policy/policy-view").then((m) => ({ default: m.PolicyView })));
const RecordView = lazy(() => import("./views/activity/record-view").then((m) => ({ default: m.RecordView })));

function Nothing(): JSX.Element {
  return null;
}

export function Routes(): JSX.Element {
  return (
    <>
      <Route path="/" component={WorkPane}>
        <Route path="/" component={Nothing} />
        <Route path="/servers" component={Nothing} />
        <Route path="/servers/:name" component={ServerView} />
        <Route path="/servers/:name/policy" component={PolicyView} />
        <Route path="/servers/:name/tools/:tool" component={ToolFormView} />
      </Route>
      <Route path="/activity" component={ActivityPane}>
        <Route path="/" component={Nothing} />
        <Route path="/:recordId" component={RecordView} />
      </Route>
      <Route path="/policies" component={PolicyFilePane} />
      <Route path="/settings" component={SettingsPane} />
      <Route path="*" component={WorkPane} />
    </>
  );
}
