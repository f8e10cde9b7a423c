/** What is counted and sent. */
import type { Message } from "../../policy/request";

/** A prompt as it will be sent: context, where granted, is already among the messages. */
export interface Prompt {
  readonly systemPrompt: string | null;
  readonly messages: readonly Message[];
  /** MCP tools the server offers the model, where its policy allows it. */
  readonly tools?: readonly object[] | null;
  readonly toolChoice?: object | null;
}
