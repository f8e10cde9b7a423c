/**
 * Server-sent events on their way from the network to the SDK: split, bounded and handed over one by one. The SDK's own
 * reader has no limit on an event, and does not say which stream carried it.
 */
import { MAX_FRAME_BYTES, OUTLINE_CHARS } from "./frame";

/** An event's data is a frame, which the gate measures to the byte; its field names come on top. */
const MAX_EVENT_CHARS = MAX_FRAME_BYTES + 64 * 1024;
/** An event that is too large is passed over until it ends, or until this many characters went by. */
const MAX_SKIPPED_CHARS = 64 * 1024 * 1024;

export interface SseEvent {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string;
}

export interface SseSink {
  /** Returns the data to hand on instead; each entry becomes an event of its own. */
  event(event: SseEvent): readonly string[];
  oversized(head: string, tail: string): readonly string[];
}

/** Waits until the next piece may be read: until then the network holds back the rest. */
export interface PacedSink extends SseSink {
  turn(): Promise<void>;
}

/** Read in one go; what arrives together may hold hundreds of frames. */
const PIECE_CHARS = 4096;

export class EndlessEvent extends Error {
  constructor() {
    super("an event of the stream never ended");
    this.name = "EndlessEvent";
  }
}

/** Takes text in pieces and returns the events to hand on, as text. */
export function sseSplitter(sink: SseSink): (chunk: string) => string {
  let line = "";
  let data: string[] = [];
  let size = 0;
  let id: string | null = null;
  let event: string | null = null;
  let afterCarriageReturn = false;
  let skipping: { head: string; tail: string; skipped: number; lineLength: number } | null = null;

  function endOfEvent(): string {
    if (skipping !== null) {
      const { head, tail } = skipping;
      skipping = null;
      return write(null, null, sink.oversized(head, tail));
    }
    const whole = { id, event, data: data.join("\n") };
    const nothing = data.length === 0 && id === null;
    data = [];
    size = 0;
    id = null;
    event = null;
    if (nothing) return "";
    const isMessage = whole.data !== "" && (whole.event === null || whole.event === "message");
    return write(whole.id, whole.event, isMessage ? sink.event(whole) : [whole.data]);
  }

  function endOfLine(): string {
    if (skipping !== null) {
      const blank = skipping.lineLength === 0;
      skipping.lineLength = 0;
      return blank ? endOfEvent() : "";
    }
    const whole = line;
    line = "";
    if (whole === "") return endOfEvent();
    const colon = whole.indexOf(":");
    const field = colon === -1 ? whole : whole.slice(0, colon);
    const value = colon === -1 ? "" : whole.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    // An empty name is no name: whoever reads what is handed on takes such an event for a message.
    else if (field === "event") event = value === "" ? null : value;
    else if (field === "retry" && /^\d+$/.test(value)) return `retry: ${value}\n\n`;
    return "";
  }

  function take(piece: string): void {
    if (skipping === null) {
      line += piece;
      size += piece.length;
      if (size <= MAX_EVENT_CHARS) return;
      const read = [...data, line.replace(/^data: ?/, "")].join("\n");
      skipping = { head: read.slice(0, OUTLINE_CHARS), tail: read.slice(-OUTLINE_CHARS), skipped: 0, lineLength: 1 };
      line = "";
      data = [];
      size = 0;
      id = null;
      event = null;
      return;
    }
    skipping.lineLength += piece.length;
    skipping.skipped += piece.length;
    skipping.tail = (skipping.tail + piece.slice(-OUTLINE_CHARS)).slice(-OUTLINE_CHARS);
    if (skipping.skipped > MAX_SKIPPED_CHARS) throw new EndlessEvent();
  }

  return (chunk) => {
    let out = "";
    let from = 0;
    const ends = /\r\n|\r|\n/g;
    if (afterCarriageReturn && chunk.startsWith("\n")) from = 1;
    if (chunk !== "") afterCarriageReturn = chunk.endsWith("\r");
    ends.lastIndex = from;
    for (let end = ends.exec(chunk); end !== null; end = ends.exec(chunk)) {
      take(chunk.slice(from, end.index));
      out += endOfLine();
      from = ends.lastIndex;
    }
    if (from < chunk.length) take(chunk.slice(from));
    return out;
  };
}

/** An id without data still counts for resuming, so it is written with empty data, which readers pass over. */
function write(id: string | null, event: string | null, handed: readonly string[]): string {
  const texts = handed.length === 0 && id !== null ? [""] : handed;
  return texts
    .map((text, at) => {
      const fields = at === 0 && id !== null ? [`id: ${id}`] : [];
      if (event !== null) fields.push(`event: ${event}`);
      for (const one of text.split("\n")) fields.push(`data: ${one}`);
      return `${fields.join("\n")}\n\n`;
    })
    .join("");
}

/** How a stream ended: by itself, by an error of the network, or because we stopped reading. */
export type StreamEnd = "ended" | "broken" | "stopped";

/** The same stream with every event passed through `sink`. */
export function watchedStream(
  body: ReadableStream<Uint8Array>,
  sink: PacedSink,
  onEnd: (end: StreamEnd) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const split = sseSplitter(sink);
  async function inPieces(chunk: string): Promise<string> {
    let out = "";
    for (let from = 0; from < chunk.length; from += PIECE_CHARS) {
      await sink.turn();
      out += split(chunk.slice(from, from + PIECE_CHARS));
    }
    return out;
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            onEnd("ended");
            return;
          }
          const text = await inPieces(decoder.decode(value, { stream: true }));
          if (text === "") continue;
          controller.enqueue(encoder.encode(text));
          return;
        }
      } catch (error) {
        controller.error(error);
        if (error instanceof EndlessEvent) await reader.cancel(error).catch(() => undefined);
        onEnd("broken");
      }
    },
    async cancel(reason) {
      onEnd("stopped");
      await reader.cancel(reason);
    },
  });
}
