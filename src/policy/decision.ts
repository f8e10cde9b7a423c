/** Stored decisions (SPEC D): verdict and reason of a refused identity, never a completion. */
import type { Refusal } from "./reasons";

/** `local server name : 32 hex digits` (I1). */
export type Identity = string;

export interface StoredDecision {
  readonly identity: Identity;
  readonly server: string;
  readonly refusal: Refusal;
  readonly because: string;
  readonly policyRevision: number;
  /** Record of the exchange that made it; its row shows `represented`. */
  readonly recordId: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Epoch ms after which it no longer counts; null: until what its reason names (StoredUntil) happens. */
  readonly expiresAt: number | null;
  readonly represented: number;
  /** Replays since `loopSince`, to see 40 within 10 minutes (D3). */
  readonly loopCount: number;
  readonly loopSince: number;
  /** When the one alert was given; null before. */
  readonly loopAlertedAt: number | null;
}
