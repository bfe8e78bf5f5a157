import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import type { TreeMap } from "../../../input/io/index.ts";
import { foldUpdates } from "./fold.ts";
import { listPaths } from "./graph.ts";
import { foldPlainly, type PlainNode, type PlainUpdate, STREAMS } from "./plain-fold.test-data.ts";

const RUNS = sized(1000, 10_000);

/** Lists of numbers and nulls as a reader gives them, for the code under test. */
function asRead<T extends object>(object: T): TreeMap {
  return JSON.parse(JSON.stringify(object)) as TreeMap;
}

const VALUE = fc.oneof(fc.constant(null), fc.double({ min: -9, max: 0, noNaN: true }));
const FLAG = fc.oneof(fc.constant(null), fc.boolean());

const NODES: fc.Arbitrary<PlainNode[]> = fc
  .array(
    fc.record({
      parent: fc.oneof(fc.constant(null), fc.integer({ min: -1, max: 8 })),
      mask: fc.array(fc.boolean(), { maxLength: 4 }),
      extra: fc.integer({ min: -1, max: 1 }),
    }),
    { maxLength: 8 },
  )
  .map((drawn) =>
    drawn.map(({ parent, mask, extra }) => ({
      parent,
      mask,
      // Now and then a mask does not fit its tokens.
      token_ids: new Array<number>(Math.max(0, mask.length + (extra === 0 ? 0 : extra))).fill(7),
    })),
  );

const UPDATE: fc.Arbitrary<PlainUpdate> = fc.record({
  branches: fc.array(
    fc.record(
      {
        index: fc.integer({ min: -1, max: 5 }),
        advantages: fc.array(VALUE, { maxLength: 20 }),
        trainer_logprobs: fc.array(VALUE, { maxLength: 20 }),
        entropies: fc.array(VALUE, { maxLength: 20 }),
        is_masked: fc.array(FLAG, { maxLength: 20 }),
      },
      { requiredKeys: ["index"] },
    ),
    { maxLength: 3 },
  ),
});

describe("foldUpdates", () => {
  it("equals a fold written from prime-rl's rules, on random graphs", () => {
    fc.assert(
      fc.property(NODES, fc.array(UPDATE, { maxLength: 4 }), (nodes, updates) => {
        const read = nodes.map(asRead);
        const folded = foldUpdates(read, listPaths(read)!, updates.map(asRead));
        const plain = foldPlainly(nodes, updates);
        for (const [place, node] of plain.entries()) {
          for (const name of STREAMS) {
            const values = folded.nodes[place]![name];
            const expected = node[name]?.map((value) => (value === null ? Number.NaN : Number(value)));
            expect(values && [...values]).toEqual(expected);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  const [user, answer] = [
    { parent: null, token_ids: [1, 2], mask: [false, false] },
    { parent: 0, token_ids: [3, 4], mask: [false, true] },
  ].map(asRead) as [TreeMap, TreeMap];
  const nodes = [user, answer];
  const fold = (...branches: readonly object[]) =>
    foldUpdates(
      nodes,
      listPaths(nodes)!,
      branches.map((branch) => asRead({ branches: [branch] })),
    );

  it("takes the newest value, at sampled tokens", () => {
    const { nodes: folded } = fold(
      { index: 0, entropies: [null, null, null, 0.5] },
      { index: 0, entropies: [null, null, 9, 0.25] },
    );
    expect(folded.map(({ entropies }) => entropies && [...entropies])).toEqual([undefined, [0.25]]);
  });

  it("leaves a node alone that a stream does not cover, and counts branches that are no path", () => {
    const { nodes: folded, strayBranches } = fold(
      { index: 0, entropies: [null, null, 0.5] },
      { index: 0, advantages: [null, null, 0.5, null] },
      { index: 1, advantages: [0, 0, 0, 1] },
    );
    expect([folded, strayBranches]).toEqual([[{}, {}], 1]);
  });
});

describe("listPaths", () => {
  it("ends at a node that the path has been through, and at a parent that is none", () => {
    const graph = [{ parent: 2 }, { parent: 9 }, { parent: 0 }, { parent: 2 }, { parent: null }].map(asRead);
    expect(listPaths(graph)).toEqual([[1], [0, 2, 3], [4]]);
  });
});
