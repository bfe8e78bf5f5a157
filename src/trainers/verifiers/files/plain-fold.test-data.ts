/**
 * The rules by which prime-rl folds updates onto a trace, as plainly as they can be written.
 *
 * @module
 */

export const STREAMS = ["advantages", "trainer_logprobs", "entropies", "is_masked"] as const;
type Stream = (typeof STREAMS)[number];
type Value = number | boolean | null;

export interface PlainNode {
  readonly parent: number | null;
  readonly token_ids: readonly number[];
  readonly mask: readonly boolean[];
}

export interface PlainUpdate {
  readonly branches: readonly ({ readonly index: number } & Partial<Record<Stream, readonly Value[]>>)[];
}

function isNode(parent: number | null, nodes: readonly PlainNode[]): parent is number {
  return parent !== null && parent >= 0 && parent < nodes.length;
}

function pathTo(leaf: number, nodes: readonly PlainNode[]): number[] {
  const path: number[] = [];
  let at: number | null = leaf;
  while (isNode(at, nodes) && !path.includes(at)) {
    path.unshift(at);
    at = nodes[at]!.parent;
  }
  return path;
}

/** The streams that each node ends up with. */
export function foldPlainly(
  nodes: readonly PlainNode[],
  updates: readonly PlainUpdate[],
): Partial<Record<Stream, readonly Value[]>>[] {
  const leaves = [...nodes.keys()].filter((place) => nodes.every(({ parent }) => parent !== place));
  const result: Partial<Record<Stream, readonly Value[]>>[] = nodes.map(() => ({}));
  for (const { branches } of updates) {
    for (const branch of branches) {
      const leaf = leaves[branch.index];
      if (leaf === undefined) continue;
      for (const stream of STREAMS) {
        let rest = branch[stream] ?? [];
        for (const place of pathTo(leaf, nodes)) {
          const { token_ids, mask } = nodes[place]!;
          if (rest.length < token_ids.length) break;
          const own = rest.slice(0, token_ids.length);
          rest = rest.slice(token_ids.length);
          const sampled = own.filter((_, token) => mask[token] === true);
          const isComplete = sampled.length > 0 && !sampled.includes(null);
          const isPartial = stream === "is_masked" && sampled.some((value) => value !== null);
          if (isComplete || isPartial) result[place]![stream] = sampled;
        }
      }
    }
  }
  return result;
}
