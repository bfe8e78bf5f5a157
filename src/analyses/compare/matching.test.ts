import { describe, expect, it } from "vitest";
import { memoryLimit, setMemoryLimit } from "../../core/base/memory-limit.ts";
import { compareBatches, drawRows, pack, type Row } from "./compare.test-data.ts";

/** Twelve responses to two prompts' worth of names, with nothing beside their tokens that could match them. */
const ROWS = drawRows(12, 8).map(
  (row, i): Row => ({ ...row, sampleId: undefined, groupId: undefined, row: i }),
);
const SHORT = ROWS.map(
  (row): Row => ({ ...row, ids: [7, 8, 9], rolloutLogprobs: Float32Array.of(-1, -2, -3) }),
);
/** The same rows at other places of their step. */
const moved = (rows: readonly Row[]): Row[] => rows.map((row, i) => ({ ...row, row: 500 + i }));

function countPairs(a: readonly Row[], b: readonly Row[]): Readonly<Record<string, number>> {
  return compareBatches([pack(a)], [pack(b)]).pairing!.by;
}

describe("which sequence belongs to which", () => {
  it("is told by the tokens where one side does not know its prompts", () => {
    const named = ROWS.map((row, i) => ({ ...row, promptText: `prompt ${i}` }));
    const numbered = ROWS.map((row, i) => ({ ...row, promptTokenIds: Int32Array.of(i) }));
    for (const known of [named, numbered]) {
      expect(countPairs(known, moved(ROWS))).toEqual({ tokens: 12 });
      expect(countPairs(ROWS, moved(known))).toEqual({ tokens: 12 });
    }
  });

  it("is never told by tokens after other prompts, however many they are", () => {
    const prompts = (name: string) => ROWS.map((row, i) => ({ ...row, promptText: `${name} ${i}` }));
    expect(() => countPairs(prompts("one"), moved(prompts("other")))).toThrow("none of 12 sequences of A");
  });

  it("takes three tokens for enough after the same prompt, under the same name, at the same place, in one group", () => {
    const each = (name: (i: number) => Partial<Row>) => SHORT.map((row, i) => ({ ...row, ...name(i) }));
    const prompts = each((i) => ({ promptText: `prompt ${i}` }));
    expect(countPairs(prompts, moved(prompts))).toEqual({ tokens: 12 });
    const samples = each((i) => ({ sampleId: `sample ${i}` }));
    expect(countPairs(samples, moved(samples))).toEqual({ tokens: 12 });
    const groups = each((i) => ({ groupId: `group ${i}` }));
    expect(countPairs(groups, moved(groups))).toEqual({ tokens: 12 });
    expect(countPairs(SHORT, SHORT)).toEqual({ tokens: 12 });
    expect(() => countPairs(SHORT, moved(SHORT))).toThrow("none of 12 sequences of A");
  });

  it("takes four tokens alone for enough, at another step too", () => {
    const four = ROWS.map((row, i) => ({
      ...row,
      ids: [7, 8, 9, i],
      rolloutLogprobs: Float32Array.of(-1, -2, -3, -i),
    }));
    expect(countPairs(four, moved(four))).toEqual({ tokens: 12 });
    const later = moved(four).map((row) => ({ ...row, step: 90 }));
    expect(countPairs(four, later)).toEqual({ "tokens of other steps": 12 });
  });

  it("is told by the place where texts begin alike, unless the prompts are others", () => {
    const parted = ROWS.map((row) => ({ ...row, ids: row.ids.with(5, 5000) }));
    expect(countPairs(ROWS, parted)).toEqual({ place: 12 });
    const prompts = (rows: readonly Row[], name: string) =>
      rows.map((row, i) => ({ ...row, promptText: `${name} ${i}` }));
    expect(countPairs(prompts(ROWS, "one"), prompts(parted, "one"))).toEqual({ place: 12 });
    expect(() => countPairs(prompts(ROWS, "one"), prompts(parted, "other"))).toThrow(
      "none of 12 sequences of A",
    );
  });

  it("is not told by the place where no tokens are known", () => {
    const bare = ROWS.map((row) => ({ ...row, responseTokenIds: undefined }));
    expect(() => countPairs(bare, bare)).toThrow("none of 12 sequences of A is among the 12 of B");
  });

  it("is not told by tokens of which one is unknown, and nothing is compared from there on", () => {
    const holed = ROWS.map((row, i) => ({ ...row, ids: row.ids.with(3, -1), sampleId: `sample ${i}` }));
    const { pairing, certificate } = compareBatches([pack(holed)], [pack(moved(holed))], { within: 0 });
    expect(pairing).toMatchObject({ by: { id: 12 }, tokens: 36, parted_sequences: 12, parted_tokens: 60 });
    expect(certificate).toBe("undecidable");
  });

  it("of several copies is the one that is most alike: step, then name, then place, then group", () => {
    const [row] = ROWS as [Row];
    const copies = (more: readonly Partial<Row>[]) => more.map((one) => ({ ...row, ...one }));
    const wanted: Partial<Row> = { step: 1, sampleId: "s", groupId: "g", row: 3 };
    const other: Partial<Row> = { step: 2, sampleId: "x", groupId: "x", row: 900 };
    const ranked: Partial<Row>[] = [
      wanted,
      { ...wanted, groupId: "x" },
      { ...wanted, row: 901 },
      { ...wanted, sampleId: "x" },
      { ...wanted, step: 2 },
      other,
    ];
    for (let best = 0; best + 1 < ranked.length; best++) {
      const b = copies(ranked.slice(best)).map((one, i) => ({
        ...one,
        rolloutLogprobs: row.rolloutLogprobs!.map((value) => value - i),
      }));
      const report = compareBatches([pack(copies([wanted]))], [pack(b.reverse())], { within: 0 });
      expect(report.columns[0]!.metrics.unequal, `the best of ${ranked.length - best}`).toBe(0);
    }
  });
});

describe("sides that do not fit", () => {
  it("are refused where only one of the runs has two policies", () => {
    const both = ROWS.map((row) => ({
      ...row,
      ids: row.ids.map((id) => id + 2000),
      trainerLogprobs: row.rolloutLogprobs!,
      row: 700 + row.row!,
    }));
    expect(() => compareBatches([pack(ROWS)], [pack(both)])).toThrow("not both have rollout and trainer");
    expect(() => compareBatches([pack(both)], [pack(ROWS)])).toThrow("not both have rollout and trainer");
    for (const [a, b] of [
      [ROWS, both],
      [both, ROWS],
    ] as const)
      expect(() => compareBatches([pack(a)], [pack(b)], { unpaired: true })).toThrow(
        "how far their own two policies are apart",
      );
  });

  it("are refused without a token that counts, with the way to see how columns were read", () => {
    const masked = ROWS.map((row) => ({ ...row, responseMask: new Uint8Array(row.ids.length) }));
    for (const [a, b] of [
      [masked, ROWS],
      [masked.map((row) => ({ ...row, trainerLogprobs: row.rolloutLogprobs! })), undefined],
    ] as const) {
      let refusal: unknown;
      try {
        compareBatches([pack(a)], b && [pack(b)]);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toMatchObject({
        _tag: "EmptyInputError",
        hint: expect.stringContaining("--explain") as string,
      });
    }
  });

  it("are refused where what is held takes more than the memory limit", () => {
    const before = memoryLimit();
    const batch = pack(drawRows(40, 100));
    try {
      setMemoryLimit(2 ** 15);
      expect(() => compareBatches([pack(ROWS)], [pack(ROWS)])).not.toThrow();
      expect(() => compareBatches([batch], [batch])).toThrow("more than the limit of 1 MiB decoded");
    } finally {
      setMemoryLimit(before);
    }
  });
});

describe("what a comparison counts of either side", () => {
  it("is every sequence, and the tokens with mask 1", () => {
    const half = new Uint8Array(8).fill(1).fill(0, 4);
    const a = ROWS.map((row) => ({ ...row, trainerLogprobs: row.rolloutLogprobs! }));
    const b = a.slice(2).map((row) => ({ ...row, responseMask: half }));
    const paired = compareBatches([pack(a)], [pack(b)]);
    const unpaired = compareBatches([pack(a)], [pack(b)], { unpaired: true });
    for (const report of [paired, unpaired]) {
      expect(report.a).toMatchObject({ sequences: 12, tokens: 96, columns: ["rollout", "trainer"] });
      expect(report.b).toMatchObject({ sequences: 10, tokens: 40, columns: ["rollout", "trainer"] });
      expect(report.test).toMatchObject({ statistic: "delta_abs_mean", alpha: 0.05 });
    }
    expect(paired.pairing).toMatchObject({ tokens: 40, mask_differs: 40 });
    expect(compareBatches([pack(a)], undefined).a).toMatchObject({ sequences: 12, tokens: 96 });
  });

  it("names the first token that differs without an id where none is known", () => {
    const bare = ROWS.map((row, i) => ({ ...row, responseTokenIds: undefined, sampleId: `sample ${i}` }));
    const other = bare.map((row) => ({ ...row, rolloutLogprobs: row.rolloutLogprobs!.map((v) => v - 1) }));
    const [column] = compareBatches([pack(bare)], [pack(other)]).columns;
    expect(column!.first).toMatchObject({ handle: "s1.q0.t0", token_id: null, delta: -1 });
  });
});
