/**
 * Folds what was learned of a trace after it was written onto its nodes, as `fold_trace_updates` of prime-rl does
 * (`src/prime_rl/monitors/file/traces/update.py`, commit 65a18584).
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import { listMaps, listNumbers, numberIn } from "../../../input/adapters/shared/objects.ts";
import type { TreeMap } from "../../../input/io/index.ts";
import type { Path } from "./graph.ts";

/** Streams of an update that become values of nodes; `is_masked` also where some of its values are null. */
const STREAMS = ["advantages", "trainer_logprobs", "entropies", "is_masked"] as const;
const MAY_BE_PARTIAL: ReadonlySet<string> = new Set(["is_masked"]);

/** What updates say of a node: a value per sampled token for each stream; NaN is null. */
export type NodeStreams = Partial<Record<(typeof STREAMS)[number], NumericArray>>;

export interface Folded {
  /** `[nodes]` */
  readonly nodes: readonly NodeStreams[];
  /** Branches of updates that the trace does not have. */
  readonly strayBranches: number;
}

/**
 * Applies updates in the order in which they were written; the newest wins. A stream has a value for each token of its
 * branch. A node takes its part if that has a value for each of the node's sampled tokens, so a stream that ends early
 * leaves the nodes after its end as they are.
 *
 * @param paths the branches of the trace, as `listPaths` has them
 */
export function foldUpdates(
  nodes: readonly TreeMap[],
  paths: readonly Path[],
  updates: readonly TreeMap[],
): Folded {
  const folded: NodeStreams[] = nodes.map(() => ({}));
  const layouts = nodes.map((node) => ({
    length: listNumbers(node.token_ids)?.length ?? 0,
    mask: listNumbers(node.mask),
  }));
  let strayBranches = 0;
  for (const branch of updates.flatMap((update) => listMaps(update.branches))) {
    const path = paths[numberIn(branch, "index") ?? -1];
    if (path === undefined) {
      strayBranches++;
      continue;
    }
    for (const name of STREAMS) {
      const stream = listNumbers(branch[name]);
      if (stream === undefined) continue;
      let start = 0;
      for (const place of path) {
        const { length, mask } = layouts[place]!;
        const end = start + length;
        if (end > stream.length) break;
        const values = pickSampled(stream.subarray(start, end), mask);
        if (isUsable(values, MAY_BE_PARTIAL.has(name))) folded[place]![name] = values;
        start = end;
      }
    }
  }
  return { nodes: folded, strayBranches };
}

function pickSampled(values: NumericArray, mask: NumericArray | undefined): NumericArray {
  const sampled: number[] = [];
  for (const [i, value] of values.entries()) if (mask?.[i]) sampled.push(value);
  return Float64Array.from(sampled);
}

function isUsable(values: NumericArray, mayBePartial: boolean): boolean {
  let known = 0;
  for (const value of values) if (!Number.isNaN(value)) known++;
  return known > 0 && (mayBePartial || known === values.length);
}
