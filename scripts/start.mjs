/** `npm start`: installs what is missing, builds, then serves the app and the demo servers until Ctrl-C. */
import { build, ensureInstalled } from "./install.mjs";

await ensureInstalled();
console.log("Building…");
const code = await build();
if (code !== 0) process.exit(code);

// From here on TypeScript can be loaded.
const { register } = await import("tsx/esm/api");
register();
const { serveAll } = await import("./serve-all.ts");
await serveAll();
