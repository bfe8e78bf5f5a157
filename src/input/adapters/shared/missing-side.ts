/**
 * What is said of a dump that lacks a policy: what it is, which side is missing, how its trainer writes both.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { OnePolicy } from "../adapter.ts";
import { exporterSnippet } from "./exporters.ts";

const ABSENT = {
  neither: "holds text only: neither policy's log-probs are in it",
  rollout: "holds the rollout policy's log-probs only: the trainer side is missing",
  trainer: "holds the trainer policy's log-probs only: the rollout side is missing",
} as const;

export interface LackingDump {
  /** `TRL's completions table`. */
  readonly what: string;
  readonly trainer: string;
  /** Which policy's log-probs are there. */
  readonly has: keyof typeof ABSENT;
}

/** Says which side a dump lacks and how to make its trainer write both. */
export function missingSide({ what, trainer, has }: LackingDump, file: string): MissingSideError {
  return new MissingSideError(`${what} ${ABSENT[has]}`, {
    at: { file },
    likely: `this is what ${trainer} writes by default`,
    hint: `make ${trainer} write both:\n${exporterSnippet(trainer)}`,
  });
}

/** A dump with one policy's log-probs, as a match says it. */
export function describeOnePolicy(
  dump: LackingDump & { readonly has: OnePolicy["has"] },
  file: string,
): OnePolicy {
  return { has: dump.has, what: dump.what, error: missingSide(dump, file) };
}

/** The side that is there; undefined where there is none or both. */
export function findOnePolicy(has: (side: OnePolicy["has"]) => boolean): OnePolicy["has"] | undefined {
  if (has("rollout") === has("trainer")) return undefined;
  return has("rollout") ? "rollout" : "trainer";
}
