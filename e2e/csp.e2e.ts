/** The page reaches nothing but its own origin; the worker reaches servers and providers (case 38, FACTS on CSP). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "./fixtures";
import { PROBE, prompt } from "./scripted";

test("whatever slips into the page reaches no other origin, while the worker works", async ({
  purser,
  scripted,
  browser_,
  expectComplaints,
}) => {
  const hits: string[] = [];
  const trap = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end();
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;

  await scripted.connect(purser, {});
  const { run, frame } = await scripted.ask(purser, prompt("hello"));
  await purser.answerConsent(PROBE, "allow_once");
  expect((await frame).json).toHaveProperty("result");
  await run.waitEnded(/done/);
  expect(
    browser_.complaints.filter(({ kind }) => kind === "csp"),
    "violations in a normal run",
  ).toEqual([]);

  expectComplaints(/Content Security Policy|TrustedHTML|TrustedScript|Trusted Type/);
  const outcome = await purser.page.evaluate(async (to) => {
    const failed = async (work: () => unknown): Promise<boolean> => {
      try {
        await work();
        return false;
      } catch {
        return true;
      }
    };
    const image = new Image();
    image.src = `${to}/image`;
    const frame = document.createElement("iframe");
    frame.src = `${to}/frame`;
    document.body.append(image, frame);
    navigator.sendBeacon(`${to}/beacon`);
    const socket = new WebSocket(`${to.replace("http", "ws")}/socket`);
    const socketFailed = await new Promise<boolean>((resolve) => {
      socket.onerror = () => resolve(true);
      socket.onopen = () => resolve(false);
    });
    return {
      fetch: await failed(() => fetch(`${to}/fetch`)),
      socket: socketFailed,
      eval: await failed(() => new Function("return 1")()),
      markup: await failed(() => {
        document.createElement("div").innerHTML = "<b>x</b>";
      }),
    };
  }, url);
  expect(outcome).toEqual({ fetch: true, socket: true, eval: true, markup: true });
  await purser.page.waitForTimeout(300);
  expect(hits).toEqual([]);
  trap.close();
});
