/**
 * A run summary on its way from one thread to another.
 *
 * @module
 */
import { ByteReader, ByteWriter } from "../../core/base/index.ts";
import { GroupSums, type MovedGroups } from "../../core/summaries/index.ts";
import type { RunSummary } from "../report/index.ts";

/** The sums per token id, most of a summary, as arrays to be moved; the rest as `RunSummary.encode` writes it. */
export interface MovedSummary {
  readonly tokenIds: MovedGroups;
  readonly rest: Uint8Array<ArrayBuffer>;
}

/** @param summary has no sums per token id any more afterwards */
export function takeSummary(summary: RunSummary): MovedSummary {
  const tokenIds = summary.groups.tokenIds.take();
  const rest = new ByteWriter();
  summary.encode(rest);
  return { tokenIds, rest: rest.finish() };
}

/** Adds what another thread took. */
export function addMoved(onto: RunSummary, { tokenIds, rest }: MovedSummary): void {
  onto.mergeFrom(new ByteReader(rest, "a thread's summary"));
  onto.groups.tokenIds.merge(GroupSums.ofArrays(tokenIds));
}
