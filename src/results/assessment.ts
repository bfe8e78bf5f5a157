/**
 * The one answer about a run, which every verb, the page and every client show first: what is wrong, since when and how
 * sure. Names are snake_case; log quantities are in nats, shares are fractions of 1, null is "not known".
 *
 * @module
 */
import type { VerdictLevel } from "./reading-level.ts";

/**
 * Whether the ratios are so uneven that a correction is needed: `none`; `few`: for a few tokens outside [1/2, 2] only;
 * `all`: their ESS is low.
 */
export type CorrectionNeed = "none" | "few" | "all";

export interface Assessment {
  /** The worst of what its parts say. */
  readonly level: VerdictLevel;
  /** The verdict in one sentence, with when. */
  readonly sentence: string;
  /** What `sweep` says of the same data: its recommendation has the same `need`. Null where no token can be compared. */
  readonly correction: { readonly need: CorrectionNeed } | null;
}
