/**
 * The message graph of a trace: nodes that name their parent, and the paths through them.
 *
 * @module
 */
import { numberIn } from "../../../input/adapters/shared/objects.ts";
import type { TreeMap } from "../../../input/io/index.ts";

/** Limit on the total length of all paths: more than a conversation needs, less than would stall the process. */
const MOST_PLACES = 10_000_000;

/** From a root to a leaf, as indices into the nodes. */
export type Path = readonly number[];

/**
 * The path to each leaf, in the order of the leaves; undefined when their total length exceeds {@link MOST_PLACES}. A
 * branch of an annotation is an index into this list. A parent that is not the index of a node is none, and a path ends
 * at a node that it has already been through, as in `branch_node_paths` of prime-rl
 * (`src/prime_rl/monitors/file/traces/update.py`, commit 65a18584).
 */
export function listPaths(nodes: readonly TreeMap[]): readonly Path[] | undefined {
  const parents = nodes.map((node) => parentOf(node, nodes.length));
  const inner = new Set(parents);
  const paths: number[][] = [];
  let places = 0;
  for (const leaf of nodes.keys()) {
    if (inner.has(leaf)) continue;
    const path = new Set<number>();
    for (let at: number | undefined = leaf; at !== undefined && !path.has(at); at = parents[at]) {
      path.add(at);
      if (++places > MOST_PLACES) return undefined;
    }
    paths.push([...path].reverse());
  }
  return paths;
}

function parentOf(node: TreeMap, count: number): number | undefined {
  const parent = numberIn(node, "parent");
  return parent !== undefined && Number.isInteger(parent) && parent >= 0 && parent < count
    ? parent
    : undefined;
}
