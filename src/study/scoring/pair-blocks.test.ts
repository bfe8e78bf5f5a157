import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../../../test/support/property-seed.ts";
import type { LogitBlock } from "../../core/kernels/logit-block.ts";
import { alignBlocks } from "./pair-blocks.ts";

/** Blocks of `sizes` rows with two columns; row r holds [r, -r]. */
async function* blocks(sizes: readonly number[]): AsyncGenerator<LogitBlock> {
  let row = 0;
  for (const rows of sizes) {
    const values = Float32Array.from({ length: 2 * rows }, (_, i) => {
      const at = row + (i >> 1);
      return i % 2 === 0 ? at : -at;
    });
    row += rows;
    yield { format: "float32", values, rows, vocabulary: 2 };
  }
}

/** A number divided into parts, some of them empty. */
const cuts = (total: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 0, max: total }), { maxLength: 6 }).map((places) => {
    const all = [0, ...places.sort((a, b) => a - b), total];
    return all.slice(1).map((place, i) => place - all[i]!);
  });

describe("alignBlocks", () => {
  test("gives all policies the same rows, each row once, however they cut them", async () => {
    const property = fc.asyncProperty(
      fc
        .integer({ min: 0, max: 40 })
        .chain((rows) => fc.tuple(fc.constant(rows), cuts(rows), cuts(rows), cuts(rows))),
      async ([rows, ...sizes]) => {
        let row = 0;
        for await (const together of alignBlocks(sizes.map(blocks))) {
          expect(new Set(together.map((block) => block.rows)).size).toBe(1);
          const values = together.map((block) => Array.from(block.values));
          for (const other of values.slice(1)) expect(other).toEqual(values[0]);
          for (let i = 0; i < values[0]!.length; i += 2) expect(values[0]![i]).toBe(row++);
        }
        expect(row).toBe(rows);
      },
    );
    await fc.assert(property);
  });

  test("says so when one policy's rows end first", async () => {
    const all = async (): Promise<void> => {
      for await (const _ of alignBlocks([blocks([2, 2]), blocks([3])]));
    };
    await expect(all()).rejects.toMatchObject({ _tag: "FormatError" });
  });

  test("closes the streams that are left when it is left", async () => {
    let closed = 0;
    async function* counting(): AsyncGenerator<LogitBlock> {
      try {
        yield* blocks([1, 1, 1]);
      } finally {
        closed++;
      }
    }
    for await (const _ of alignBlocks([counting(), counting()])) break;
    expect(closed).toBe(2);
  });
});
