/**
 * Messages for a dump that lacks a policy: what it is, which side is missing, how to get both written.
 *
 * @module
 */
import { type Lines, MissingSideError } from "../../../core/base/index.ts";
import type { OnePolicy } from "../adapter.ts";
import { hookLines } from "./hook-lines.ts";

const ABSENT = {
  text: "holds text only: neither policy's log-probs are in it",
  neither: "holds neither policy's log-probs",
  rollout: "holds the rollout policy's log-probs only: the trainer side is missing",
  trainer: "holds the trainer policy's log-probs only: the rollout side is missing",
} as const;

/** A dump that lacks a policy. */
export interface MissingPolicy {
  /** The dump, with its article: `a SkyRL training batch`. */
  readonly what: string;
  /** Which log-probs it has. */
  readonly has: keyof typeof ABSENT;
  readonly file: string;
  readonly likely: string;
  readonly hint: Lines;
}

/** Names the dump, what it lacks, why, and what to do. */
export function missingPolicy({ what, has, file, likely, hint }: MissingPolicy): MissingSideError {
  return new MissingSideError(`${what} ${ABSENT[has]}`, { at: { file }, likely, hint });
}

/** The side that a dump has, and the {@link missingPolicy} error for callers that need both. */
export function describeOnePolicy(missing: MissingPolicy & { readonly has: OnePolicy["has"] }): OnePolicy {
  return { has: missing.has, what: missing.what, error: missingPolicy(missing) };
}

/** A dump whose trainer writes both sides with its hook. */
export interface LackingDump<Has extends MissingPolicy["has"] = MissingPolicy["has"]> {
  /** `TRL's completions table`. */
  readonly what: string;
  readonly trainer: string;
  readonly has: Has;
}

/** The error for such a dump: how to make its trainer write both. */
export function describeLacking<Has extends MissingPolicy["has"]>(
  { what, trainer, has }: LackingDump<Has>,
  file: string,
): MissingPolicy & { readonly has: Has } {
  return {
    what,
    has,
    file,
    likely: `this is what ${trainer} writes by default`,
    hint: [`make ${trainer} write both:`, ...hookLines(trainer)],
  };
}

/** The only side present; undefined when there are none or both. */
export function findOnePolicy(has: (side: OnePolicy["has"]) => boolean): OnePolicy["has"] | undefined {
  if (has("rollout") === has("trainer")) return undefined;
  return has("rollout") ? "rollout" : "trainer";
}
