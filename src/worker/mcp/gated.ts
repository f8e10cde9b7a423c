/** The transport as the SDK gets it: what is sent passes the gate, and the end of the connection ends what it held. */
import type { Transport } from "@modelcontextprotocol/client";
import { isRequestId } from "./frame";
import { type Gate, TICKET_HEADER } from "./gate";

export function gatedTransport(inner: Transport, gate: Gate): Transport {
  const outer: Transport = {
    start: () => inner.start(),
    send(message, options) {
      // Over HTTP the mark goes on to `fetch`, which takes it off; other transports ignore headers.
      const key = options?.headers?.[TICKET_HEADER];
      if (key !== undefined && "id" in message && isRequestId(message.id)) gate.sent(message.id, key);
      return inner.send(message, options);
    },
    close: () => inner.close(),
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion(version) {
      gate.protocol = version;
      inner.setProtocolVersion?.(version);
    },
  };
  if (inner.hasPerRequestStream === true) Object.defineProperty(outer, "hasPerRequestStream", { value: true });
  inner.onmessage = (message, extra) => outer.onmessage?.(message, extra);
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onclose = () => {
    gate.close();
    outer.onclose?.();
  };
  return outer;
}
