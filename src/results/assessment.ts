/**
 * The one answer about a run, which every verb, the page and every client show first: what is wrong, since when and how
 * sure. Names are snake_case; log quantities are in nats, shares are fractions of 1, null is "not known".
 *
 * @module
 */
import type { VerdictLevel } from "./reading-level.ts";

export interface Assessment {
  /** The worst of what its parts say. */
  readonly level: VerdictLevel;
  /** The verdict in one sentence, with when. */
  readonly sentence: string;
}
