/** Starts the worker under measurement and hands it to whoever drives the page. */
import * as Comlink from "comlink";
import { spawn } from "../../src/ui/spawn";
import type { BenchApi } from "./worker";
import workerUrl from "./worker?worker&url";

const worker = spawn(workerUrl, "bench");
(globalThis as unknown as { bench: Comlink.Remote<BenchApi> }).bench = Comlink.wrap<BenchApi>(worker);
document.documentElement.dataset.ready = "";
