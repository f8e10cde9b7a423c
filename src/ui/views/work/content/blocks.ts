/** MCP content blocks as things the card can show. Pure and total: a block of any shape has an answer. */

type Wire = Readonly<Record<string, unknown>>;

export type Shown =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: ImageType; readonly base64: string }
  | { readonly kind: "audio"; readonly mimeType: string; readonly bytes: number }
  | {
      readonly kind: "link";
      readonly uri: string;
      readonly name: string | null;
      readonly description: string | null;
      readonly mimeType: string | null;
    }
  | { readonly kind: "embedded"; readonly uri: string; readonly text: string | null; readonly about: string }
  /** Something we know and do not show; `why` is our own sentence. */
  | { readonly kind: "withheld"; readonly why: string }
  | { readonly kind: "unknown"; readonly json: unknown };

/** Raster formats only: an SVG can carry links and styles. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** Longer texts stay plain: laying them out would take the page's time. */
export const FORMATTED_MAX = 20_000;

/** Largest picture shown, bytes once decoded. */
export const IMAGE_MAX_BYTES = 4 * 1024 * 1024;

export function shownOf(block: Wire): Shown {
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? { kind: "text", text: block.text } : { kind: "unknown", json: block };
    case "image":
      return imageOf(block);
    case "audio":
      return typeof block.data === "string"
        ? { kind: "audio", mimeType: word(block.mimeType) ?? "audio", bytes: bytesOf(block.data) }
        : { kind: "unknown", json: block };
    case "resource_link":
      return typeof block.uri === "string"
        ? {
            kind: "link",
            uri: block.uri,
            name: word(block.title) ?? word(block.name),
            description: word(block.description),
            mimeType: word(block.mimeType),
          }
        : { kind: "unknown", json: block };
    case "resource":
      return resourceOf(block);
    default:
      return { kind: "unknown", json: block };
  }
}

const word = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** Sizes in words, for people: 812 B, 14 kB, 2.1 MB. */
export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function imageOf(block: Wire): Shown {
  const { data, mimeType } = block;
  if (typeof data !== "string") return { kind: "unknown", json: block };
  const type = IMAGE_TYPES.find((known) => known === mimeType);
  const size = sizeInWords(bytesOf(data));
  if (type === undefined)
    return {
      kind: "withheld",
      why: `A picture of a kind that is not shown here (${size}). PNG, JPEG, GIF and WebP are.`,
    };
  if (bytesOf(data) > IMAGE_MAX_BYTES)
    return {
      kind: "withheld",
      why: `A picture of ${size}, larger than the ${sizeInWords(IMAGE_MAX_BYTES)} shown here.`,
    };
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return { kind: "withheld", why: "A picture whose data cannot be read." };
  return { kind: "image", mimeType: type, base64: data };
}

function resourceOf(block: Wire): Shown {
  const { resource } = block;
  if (typeof resource !== "object" || resource === null) return { kind: "unknown", json: block };
  const { uri, text, blob, mimeType }: Wire = { ...resource };
  if (typeof uri !== "string") return { kind: "unknown", json: block };
  const kind = word(mimeType) ?? "unknown kind";
  if (typeof text === "string") return { kind: "embedded", uri, text, about: kind };
  const size = typeof blob === "string" ? `, ${sizeInWords(bytesOf(blob))}` : "";
  return { kind: "embedded", uri, text: null, about: `${kind}${size}, not shown` };
}

/** A link's address if it may be opened from here, with the host the person should see; null otherwise. */
export function openable(uri: string): { readonly href: string; readonly host: string } | null {
  try {
    const url = new URL(uri);
    if (url.protocol !== "https:" && url.protocol !== "http:") return null;
    if (url.username !== "" || url.password !== "") return null;
    return { href: url.href, host: url.host };
  } catch {
    return null;
  }
}
