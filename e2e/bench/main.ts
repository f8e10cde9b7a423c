/** Starts the worker under measurement and hands it to whoever drives the page. */
import * as Comlink from "comlink";
import { trustedWorkerUrl } from "../../src/ui/trusted";
import type { BenchApi } from "./worker";
import workerUrl from "./worker?worker&url";

const worker = new Worker(trustedWorkerUrl(workerUrl), { type: "module", name: "bench" });
(globalThis as unknown as { bench: Comlink.Remote<BenchApi> }).bench = Comlink.wrap<BenchApi>(worker);
document.documentElement.dataset.ready = "";
