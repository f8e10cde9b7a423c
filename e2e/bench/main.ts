/** Starts the worker under measurement and hands it to whoever drives the page. */
import * as Comlink from "comlink";
import { trustedWorkerUrl } from "../../src/ui/trusted";
import type { BenchApi } from "./worker";

const worker = new Worker(trustedWorkerUrl(new URL("./worker.ts", import.meta.url)), { type: "module", name: "bench" });
(globalThis as unknown as { bench: Comlink.Remote<BenchApi> }).bench = Comlink.wrap<BenchApi>(worker);
document.documentElement.dataset.ready = "";
