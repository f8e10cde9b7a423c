/**
 * landmark(label, isMain): attributes of a part of the screen that lies beside the main one on a desk and is all there
 * is on a phone. The element stays the same, so that turning the device loses nothing typed.
 */

export interface Landmark {
  readonly role: "main" | "complementary";
  readonly "aria-label": string;
}

export function landmark(label: string, isMain: boolean): Landmark {
  return { role: isMain ? "main" : "complementary", "aria-label": label };
}
