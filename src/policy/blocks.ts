/** Content blocks of a sampling request, checked one by one (SPEC W9). */
import { bad, type Fields, fields, list, optional, own, text } from "./read";
import type { Block } from "./request";

/** A media type, with parameters or without: `image/png`, `audio/L16;rate=16000`. */
const MEDIA_TYPE = /^(image|audio)\/[a-z0-9][a-z0-9.+-]{0,99}(?:[ ]?;[\x20-\x7e]{1,200})?$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** First bytes of the picture kinds models take, in base64 digits; whoever claims one of them must begin so (K1-18). */
const PICTURE_STARTS: Readonly<Record<string, RegExp>> = {
  "image/png": /^iVBORw0KG/,
  "image/jpeg": /^\/9j\//,
  "image/jpg": /^\/9j\//,
  "image/gif": /^R0lGOD/,
  // "RIFF", a size of four bytes, "WEBP".
  "image/webp": /^UklGR.{6}XRUJQ/,
};

/** A list of blocks, or one block alone, which equals the list of it (I2). Never empty. */
export function contentOf(value: unknown, path: string, tools: boolean): readonly Block[] {
  if (!Array.isArray(value)) return [blockOf(value, path, tools)];
  if (value.length === 0) return bad(path, "no content blocks");
  return value.map((one, at) => blockOf(one, `${path}[${at}]`, tools));
}

function blockOf(value: unknown, path: string, tools: boolean): Block {
  const from = fields(value, path);
  const type = text(own(from, "type"), `${path}.type`);
  switch (type) {
    case "text":
      return { type, text: text(own(from, "text"), `${path}.text`) };
    case "image":
    case "audio": {
      const mimeType = text(own(from, "mimeType"), `${path}.mimeType`);
      if (MEDIA_TYPE.exec(mimeType)?.[1]?.toLowerCase() !== type) return bad(`${path}.mimeType`, `not an ${type} type`);
      return { type, mimeType, data: base64(own(from, "data"), `${path}.data`, mimeType) };
    }
    case "tool_use":
    case "tool_result":
      if (!tools) return bad(`${path}.type`, `${type} is not taken here`);
      return type === "tool_use" ? toolUse(from, path) : toolResult(from, path);
    default:
      return bad(`${path}.type`, "not a kind of content block");
  }
}

function base64(value: unknown, path: string, mimeType: string): string {
  const data = text(value, path);
  if (data.length === 0 || data.length % 4 !== 0 || !BASE64.test(data)) return bad(path, "not base64");
  const kind = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const start = Object.hasOwn(PICTURE_STARTS, kind) ? PICTURE_STARTS[kind] : undefined;
  if (start !== undefined && !start.test(data)) return bad(path, `its bytes are no ${kind}`);
  return data;
}

function toolUse(from: Fields, path: string): Block {
  return {
    type: "tool_use",
    id: text(own(from, "id"), `${path}.id`),
    name: text(own(from, "name"), `${path}.name`),
    input: fields(own(from, "input"), `${path}.input`),
  };
}

/** Content only: `structuredContent` repeats it for programs, and alone it would be a result no model reads. */
function toolResult(from: Fields, path: string): Block {
  const content = optional(own(from, "content"), (value) =>
    list(value, `${path}.content`).map((one, at) => blockOf(one, `${path}.content[${at}]`, false)),
  );
  const structured = own(from, "structuredContent") ?? null;
  if ((content ?? []).length === 0 && structured !== null) {
    return bad(`${path}.structuredContent`, "structured content without content");
  }
  const isError = own(from, "isError") ?? false;
  if (typeof isError !== "boolean") return bad(`${path}.isError`, "neither true nor false");
  return {
    type: "tool_result",
    toolUseId: text(own(from, "toolUseId"), `${path}.toolUseId`),
    content: content ?? [],
    isError,
  };
}
