import { expect, test } from "vitest";
import { nameIn, toolPath } from "./paths";

test.each(["ask", "..", ".", "...", "~", "~..", "a/b%2F../c?d#e", "%2E%2E", "\u202e\u200b", "__proto__", "名前"])(
  "a tool called %j has an address of its own, which leads back to its name",
  (name) => {
    const [, , server, , tool, ...more] = new URL(toolPath("..", name), "http://x").pathname.split("/");
    expect([nameIn(server ?? ""), nameIn(tool ?? ""), more]).toEqual(["..", name, []]);
  },
);
