/**
 * A dump that holds one policy's log-probs, or neither's: what is missing, and how to have it written.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { OnePolicy } from "../adapter.ts";

const ABSENT = {
  neither: "holds neither policy's log-probs",
  rollout: "holds the rollout policy's log-probs only: the trainer side is missing",
  trainer: "holds the trainer policy's log-probs only: the rollout side is missing",
} as const;

export interface MissingPolicy {
  /** The dump, with its article: `a SkyRL training batch`. */
  readonly what: string;
  readonly has: keyof typeof ABSENT;
  readonly file: string;
  readonly likely: string;
  readonly hint: string;
}

/** Names the dump, what it lacks, why, and what to do. */
export function missingPolicy({ what, has, file, likely, hint }: MissingPolicy): MissingSideError {
  return new MissingSideError(`${what} ${ABSENT[has]}`, { at: { file }, likely, hint });
}

/** The side that there is, with {@link missingPolicy} for those who need both. */
export function describeOnePolicy(missing: MissingPolicy & { readonly has: OnePolicy["has"] }): OnePolicy {
  return { has: missing.has, error: missingPolicy(missing) };
}
