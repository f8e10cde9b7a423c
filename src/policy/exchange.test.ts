import { expect, test } from "vitest";
import { type ExchangeEvent, type ExchangeState, nextExchange } from "./exchange";

const path = (...events: readonly ExchangeEvent[]) => events.reduce<ExchangeState>(nextExchange, "received");

test("[A] the ordinary ways to an ending", () => {
  expect(path("decide", "measure", "measured", "admit", "finish")).toBe("ended");
  expect(path("decide", "measure", "measured", "ask", "answer", "admit", "finish")).toBe("ended");
  expect(path("decide", "queue", "turn_came", "ask", "silence")).toBe("ended");
  expect(path("same_undecided", "turn_came", "replay")).toBe("ended");
  expect(path("decide", "measure", "measured", "admit", "fall_back", "measure", "measured", "admit", "finish")).toBe(
    "ended",
  );
  expect(path("malformed")).toBe("ended");
});

test("[W8] an admitted exchange that waited for its siblings is decided again before it starts", () => {
  expect(path("decide", "admit", "decide", "refuse")).toBe("ended");
  expect(path("decide", "admit", "decide", "admit", "finish")).toBe("ended");
});

test("[K7] every open state can be cancelled", () => {
  const open: readonly ExchangeState[] = [
    "received",
    "waiting",
    "deciding",
    "measuring",
    "queueing",
    "asking",
    "running",
  ];
  for (const state of open) expect(nextExchange(state, "cancel")).toBe("ended");
});

test("[W1] an ended exchange meets nothing more, and says so by name", () => {
  expect(() => nextExchange("ended", "finish")).toThrow("an exchange that is ended cannot meet finish");
});

test("[A2] nothing runs that was not decided", () => {
  for (const state of ["received", "waiting", "measuring", "queueing", "asking"] as const) {
    expect(() => nextExchange(state, "admit")).toThrow(`${state} cannot meet admit`);
  }
});
