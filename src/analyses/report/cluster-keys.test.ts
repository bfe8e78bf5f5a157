import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { clusterKeys } from "./cluster-keys.ts";

const drawn = recordBatch(
  [1, 1, 1, 2].map((step) => ({ deltas: "0 0", step })),
  "a.npz",
);

function partition(batch: RecordBatch): string {
  const { keys } = clusterKeys(batch);
  return [...keys].map((key) => keys.indexOf(key)).join("");
}

const prompts = (...ids: number[][]): Partial<RecordBatch> => ({
  promptOffsets: Int32Array.from([0, ...ids.map((_, i) => ids.slice(0, i + 1).flat().length)]),
  promptTokenIds: Int32Array.from(ids.flat()),
});

describe("which sequences were drawn together", () => {
  it("is the group id within a step, else the prompt's tokens, else its text, else nothing", () => {
    expect(partition(drawn)).toBe("0123");
    expect(partition({ ...drawn, promptTexts: ["a", "b", "a", "a"] })).toBe("0103");
    expect(partition({ ...drawn, ...prompts([1, 2], [1, 2], [1], [1, 2]) })).toBe("0023");
    const groups = { ...drawn, groupIds: ["x", "x", "x", "x"] };
    expect(partition({ ...groups, ...prompts([1], [2], [3], [4]) })).toBe("0003");
  });

  it("says of each row whether its prompt is known", () => {
    const mixed = {
      ...drawn,
      groupIds: ["x", undefined, undefined, undefined],
      ...prompts([1], [], [3], []),
    };
    expect([...clusterKeys(mixed).arePrompts]).toEqual([1, 0, 1, 0]);
  });

  it("is the same on another rank and in another file for a prompt, but not for a sequence by itself", () => {
    const elsewhere = {
      ...drawn,
      ranks: drawn.ranks.map(() => 3),
      provenance: { ...drawn.provenance, file: "b.npz" },
    };
    const groupIds = ["x", "y", "x", "z"];
    expect(clusterKeys({ ...elsewhere, groupIds }).keys).toEqual(clusterKeys({ ...drawn, groupIds }).keys);
    const keys = [...clusterKeys(drawn).keys, ...clusterKeys(elsewhere).keys];
    expect(new Set(keys).size).toBe(8);
  });
});
