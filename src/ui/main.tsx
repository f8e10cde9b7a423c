/** The page: the look, the one Trusted Types rule, the worker and the screen. */
import "./theme/tokens.css";
import "./theme/base.css";
import { render } from "solid-js/web";
import { App } from "./app";
import { trustTemplates } from "./trusted";
import { startWorker, watchLeaving } from "./worker-client";

trustTemplates();
startWorker();
watchLeaving();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(() => <App />, root);
