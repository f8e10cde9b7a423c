/** The policy's tests and the policy as one script, so that they load in milliseconds and again for a changed table. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { build } from "vite";

const ENTRY = "virtual:policy-tests";

/** All tests as one CommonJS script; packages stay outside. Each test file says its name before its tests do. */
async function bundled(root, plugins) {
  const tests = readdirSync(join(root, "src/policy"), { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(root, "src/policy", name))
    .sort();
  const plugin = {
    name: "policy-tests",
    enforce: "pre",
    resolveId: (id) => (id === ENTRY ? ENTRY : null),
    load: (id) => (id === ENTRY ? tests.map((file) => `import ${JSON.stringify(file)};`).join("\n") : null),
    transform(code, id) {
      if (!id.endsWith(".test.ts")) return null;
      const here = JSON.stringify(pathToFileURL(id).href);
      return `globalThis.__testFile__ = ${JSON.stringify(relative(root, id))};\n${code.replaceAll("import.meta.url", here)}`;
    },
  };
  const { output } = await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [...plugins, plugin],
    build: {
      write: false,
      minify: false,
      ssr: true,
      target: "esnext",
      rolldownOptions: {
        input: ENTRY,
        external: /^(?!virtual:)[a-z@]/,
        output: { format: "cjs", codeSplitting: false },
      },
    },
  });
  return output[0].code;
}

/**
 * What loads the tests: given the stand-ins of packages by name, it evaluates all test files once.
 * @param plugins of vite, to change the sources on their way in
 */
export async function policyTests(root, plugins = []) {
  const code = await bundled(root, plugins);
  const outer = {};
  for (const [, name] of code.matchAll(/\brequire\("([^"]+)"\)/g)) {
    if (name === "vitest") continue;
    const module = await import(name);
    outer[name] = typeof module.default === "function" ? module.default : module;
  }
  const script = new Script(`(function (require, exports, module) {${code}\n})`, { filename: "policy-tests.cjs" });
  return (standIns) => {
    const packages = { ...outer, ...standIns };
    const exports = {};
    script.runInThisContext()((name) => packages[name], exports, { exports });
  };
}
