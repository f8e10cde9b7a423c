import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_FRAME_BYTES } from "./frame";
import { EndlessEvent, type SseSink, sseSplitter } from "./sse";

function keeping(): { sink: SseSink; events: string[]; oversized: [string, string][] } {
  const events: string[] = [];
  const oversized: [string, string][] = [];
  const sink: SseSink = {
    event({ data }) {
      events.push(data);
      return [data];
    },
    oversized(head, tail) {
      oversized.push([head, tail]);
      return [];
    },
  };
  return { sink, events, oversized };
}

test("events are the same however the text is cut and whichever line ends it uses", () => {
  const lines = fc.array(
    fc.constantFrom(
      "data: a",
      "data:b",
      "data:  c",
      ": note",
      "",
      "event: ping",
      "event: message",
      "id: 7",
      "retry: 10",
      "data",
      "x",
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(lines, fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat(20)), (given, end, cuts) => {
      const whole = keeping();
      sseSplitter(whole.sink)(`${given.join("\n")}\n\n`);
      const pieces = keeping();
      const split = sseSplitter(pieces.sink);
      let rest = `${given.join(end)}${end}${end}`;
      for (const cut of cuts) {
        split(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      split(rest);
      split("");
      expect(pieces.events).toEqual(whole.events);
    }),
  );
});

test("what is handed on says the same: ids, names and data of several lines", () => {
  const { sink } = keeping();
  const split = sseSplitter(sink);
  expect(split("id: 1\nevent: message\ndata: a\ndata: b\n\n")).toBe("id: 1\nevent: message\ndata: a\ndata: b\n\n");
  expect(split("event: endpoint\ndata: /messages\n\n")).toBe("event: endpoint\ndata: /messages\n\n");
  expect(split("id: 2\n\n")).toBe("id: 2\ndata: \n\n");
  expect(split("retry: 5\n")).toBe("retry: 5\n\n");
});

test("[W9] an event with an empty name is a message to every reader, so it is looked at", () => {
  const { sink, events } = keeping();
  const split = sseSplitter(sink);
  expect(split("event:\ndata: a\n\nevent: ping\nevent\ndata: b\n\n")).toBe("data: a\n\ndata: b\n\n");
  expect(events).toEqual(["a", "b"]);
});

test("an event whose data was taken keeps its id, so that a stream can still be resumed", () => {
  const split = sseSplitter({ event: () => [], oversized: () => [] });
  expect(split("id: 9\ndata: taken\n\n")).toBe("id: 9\ndata: \n\n");
  expect(split("data: taken\n\n")).toBe("");
});

test("[W9] too large an event is passed over to its end, in bounded memory, and the next one is read", () => {
  const { sink, events, oversized } = keeping();
  const split = sseSplitter(sink);
  split('data: {"id":1,');
  for (let at = 0; at < 5; at += 1) split("x".repeat(1024 * 1024));
  split('"id":2}\n\ndata: next\n\n');
  expect(events).toEqual(["next"]);
  expect(oversized).toHaveLength(1);
  expect(oversized[0]?.[0].startsWith('{"id":1,')).toBe(true);
  expect(oversized[0]?.[1].endsWith('"id":2}')).toBe(true);
});

test("many small events are no large one", () => {
  const { sink, events, oversized } = keeping();
  const split = sseSplitter(sink);
  for (let at = 0; at < 3_000; at += 1) split(`: ${"c".repeat(2_000)}\n\n`);
  split("data: read\n\n");
  expect(events).toEqual(["read"]);
  expect(oversized).toEqual([]);
});

test("[W9] an event that never ends is given up", () => {
  const split = sseSplitter(keeping().sink);
  const piece = `data: ${"x".repeat(MAX_FRAME_BYTES)}\n`;
  expect(() => {
    for (let at = 0; at < 40; at += 1) split(piece);
  }).toThrow(EndlessEvent);
});
