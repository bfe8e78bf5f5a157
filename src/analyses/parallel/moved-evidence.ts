/**
 * Moves the evidence of a run from one thread to another.
 *
 * @module
 */
import { ByteReader, ByteWriter } from "../../core/base/index.ts";
import { GroupSums, type MovedGroups } from "../../core/summaries/index.ts";
import type { RunEvidence } from "../evidence/run-evidence.ts";

/** The sums per token id, the bulk of the sums, as arrays to move; the rest as `RunEvidence.encode` writes it. */
export interface MovedEvidence {
  readonly tokenIds: MovedGroups;
  readonly rest: Uint8Array<ArrayBuffer>;
}

/** @param evidence loses its sums per token id */
export function takeEvidence(evidence: RunEvidence): MovedEvidence {
  const tokenIds = evidence.summary.groups.tokenIds.take();
  const rest = new ByteWriter();
  evidence.encode(rest);
  return { tokenIds, rest: rest.finish() };
}

/** Adds what another thread took. */
export function addMoved(onto: RunEvidence, { tokenIds, rest }: MovedEvidence): void {
  onto.mergeFrom(new ByteReader(rest, "a thread's evidence"));
  onto.summary.groups.tokenIds.merge(GroupSums.ofArrays(tokenIds));
}
