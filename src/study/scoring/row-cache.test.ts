import { expect, it } from "vitest";
import type { LogitBlock } from "../../core/kernels/logit-block.ts";
import type { ForcedText } from "./policy.ts";
import { RowCache } from "./row-cache.ts";

const text: ForcedText = { id: "a", ids: Int32Array.of(1, 2), promptLength: 1 };

/** Yields two one-row blocks in the same memory, as back ends do; `asked` counts the texts. */
function policy(stored?: boolean) {
  const given = {
    name: "reference",
    ...(stored !== undefined && { stored }),
    asked: 0,
    async *logits(): AsyncGenerator<LogitBlock> {
      given.asked++;
      const values = new Float32Array(2);
      for (const row of [0, 1]) yield { format: "float32", values: values.fill(row), rows: 1, vocabulary: 2 };
    },
  };
  return given;
}

async function read(cache: RowCache, from: ReturnType<typeof policy>): Promise<number[]> {
  const values: number[] = [];
  for await (const block of cache.rows(from, text)) values.push(...block.values);
  return values;
}

it.each([
  ["keeps the rows of a policy that is requested again", undefined, 1000, 1, 16],
  ["reads stored rows again instead", true, 1000, 2, 0],
  ["keeps none that take more than the limit", false, 15, 2, 0],
])("%s", async (_, stored, limit, asked, bytes) => {
  const cache = new RowCache(limit, ["reference"]);
  const reference = policy(stored);
  expect(await read(cache, reference)).toEqual([0, 0, 1, 1]);
  expect(await read(cache, reference)).toEqual([0, 0, 1, 1]);
  expect([reference.asked, cache.bytes]).toEqual([asked, bytes]);
});
