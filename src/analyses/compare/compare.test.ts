import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/random.ts";
import { pooledMetrics } from "../report/metrics.ts";
import { RunSummary } from "../report/run-summary.ts";
import { ColumnSums } from "./column-sums.ts";
import { change, compareBatches, drawNormal, drawRows, pack, type Row } from "./compare.test-data.ts";

const ROWS = drawRows(24, 40);
const A = pack(ROWS);

/** The next float32 below a negative number: one unit in the last place. */
function flip(value: number): number {
  const bits = new Int32Array(Float32Array.of(value).buffer);
  bits[0]! += 1;
  return new Float32Array(bits.buffer)[0]!;
}

describe("a certificate", () => {
  it("of the same values is equal, with what that leaves open", () => {
    const report = compareBatches([A], [pack(ROWS, "b.npz")], { within: 0 });
    expect([report.certificate, report.basis, report.mode]).toEqual(["equal", "bits", "paired"]);
    expect(report.sentence).toBe(
      "All 960 tokens of 24 sequences are equal bit for bit; 95 % leaves open at most 0.31 % of tokens, or 22.1 % of prompts, that are not.",
    );
    expect(report.metrics).toMatchObject({ tokens: 960, sequences: 24, clusters: 12, unequal: 0 });
    expect(report.metrics.unequal_share_upper).toBeCloseTo(3 / 960, 4);
    expect(report.metrics.unequal_clusters_share_upper).toBeCloseTo(1 - 0.05 ** (1 / 12), 12);
    expect([report.next, report.columns[0]!.first, report.columns[0]!.ulps.counts]).toEqual([null, null, []]);
  });

  it("names the one unit in the last place that differs", () => {
    const other = change(ROWS, (value, row, token) => (row === 7 && token === 30 ? flip(value) : value));
    const report = compareBatches([A], [pack(other)], { within: 0 });
    const [column] = report.columns;
    expect(report.certificate).toBe("different");
    expect(report.sentence).toBe("1 of 960 tokens differs, the first at s1.q7.t30, but the tolerance is 0.");
    expect(column!.first).toMatchObject({ handle: "s1.q7.t30", token_id: ROWS[7]!.ids[30], turn: 0 });
    expect(column!.ulps).toEqual({ unit: "float32", counts: [{ from: 1, to: 1, tokens: 1 }] });
    expect(column!.metrics).toMatchObject({ unequal: 1, unequal_sequences: 1, unequal_share_upper: null });
    // Within any tolerance it is nothing.
    expect(compareBatches([A], [pack(other)])).toMatchObject({
      certificate: "equivalent",
      basis: "interval",
      next: null,
    });
  });

  it("of noise is equivalent if prompts of a kind not seen would leave the mean within the tolerance", () => {
    const random = seededRandom(3);
    const other = change(ROWS, (value) => value + 0.0008 * drawNormal(random));
    const report = compareBatches([A], [pack(other)]);
    expect([report.certificate, report.basis, report.next]).toEqual(["equivalent", "interval", null]);
    const { delta_abs_mean: mean, delta_abs_mean_high: high, delta_abs_mean_unseen: unseen } = report.metrics;
    const share = 1 - 0.05 ** (1 / 12);
    expect(report.metrics.unseen_clusters_share_upper).toBeCloseTo(share, 12);
    expect(unseen).toBeCloseTo((1 - share) * high! + share * 50 * mean!, 12);
    expect(report.sentence).toMatch(
      /^Mean \|Δ\| is 6\.\d+e-4 nats, and below 6\.\d+e-4 nats with 95 % confidence\. Up to 22\.1 % of prompts could be of a kind not seen; 50 times as far off, they would make it 0\.007\d+ nats: within 0\.01 nats\.$/,
    );
  });

  it("is withheld where they would not, with the number of prompts that would decide", () => {
    const random = seededRandom(3);
    const draw = (prompts: number) => {
      const rows = drawRows(2 * prompts, 40);
      const other = change(rows, (value) => value + 0.004 * drawNormal(random));
      return compareBatches([pack(rows)], [pack(other)]);
    };
    const few = draw(12);
    expect([few.certificate, few.basis]).toEqual(["undecidable", "unseen"]);
    expect(few.sentence).toMatch(
      /^Mean \|Δ\| is 0\.003\d+ nats, and below 0\.003\d+ nats with 95 % confidence\. Up to 22\.1 % of prompts could be of a kind not seen; 50 times as far off, they would make it 0\.03\d+ nats: not within 0\.01 nats\.$/,
    );
    const needed = few.metrics.clusters_needed!;
    expect(few.next!.why).toBe(`About ${needed} prompts would decide, if they vary as much as these.`);
    expect(draw(Math.ceil(1.1 * needed)).certificate).toBe("equivalent");
    expect(draw(Math.floor(0.9 * needed)).certificate).toBe("undecidable");
  });

  it("of a shift is different, and the doctor is next", () => {
    const report = compareBatches([A], [pack(change(ROWS, (value) => value - 0.05))]);
    expect([report.certificate, report.basis]).toEqual(["different", "interval"]);
    expect(report.metrics.delta_mean).toBeCloseTo(-0.05, 12);
    expect(report.sentence).toBe(
      "Mean |Δ| is 0.0500 nats, and above 0.0500 nats with 95 % confidence: beyond 0.01 nats.",
    );
    expect(report.next).toEqual({
      command: "logratio doctor B",
      why: "the cause, or the experiment that would show it",
    });
  });

  it("near the tolerance is undecidable, and says how many prompts would decide", () => {
    const random = seededRandom(5);
    const levels = ROWS.map(() => 0.009 * Math.exp(0.4 * drawNormal(random) - 0.08));
    const other = change(ROWS, (value, row) => value + levels[row]!);
    const report = compareBatches([A], [pack(other)]);
    expect([report.certificate, report.basis]).toEqual(["undecidable", "straddles"]);
    const { clusters_needed: needed, delta_abs_mean: mean } = report.metrics;
    // At least so many that 50 × 3/n of the mean fits below the tolerance.
    expect(needed).toBeGreaterThan(146 / (0.01 / mean! - 1));
    expect(report.next!.why).toBe(
      `About ${needed!.toLocaleString("en-US")} prompts would decide, if they vary as much as these.`,
    );
  });

  it("of fewer than ten prompts is none, but of equality", () => {
    const few = ROWS.slice(0, 8);
    const other = change(few, (value) => value - 0.001);
    const report = compareBatches([pack(few)], [pack(other)]);
    expect([report.certificate, report.basis, report.metrics.clusters_needed]).toEqual([
      "undecidable",
      "too_few",
      10,
    ]);
    expect(report.sentence).toBe(
      "Mean |Δ| is 0.00100 nats over 4 prompts: too few to judge it against 0.01 nats.",
    );
    expect(report.next!.why).toBe("About 10 prompts would decide.");
    expect(compareBatches([pack(few)], [pack(few)]).certificate).toBe("equal");
  });

  it("counts 0 and −0 as equal and missing on both sides as nothing; missing on one side is different", () => {
    const edge = (values: readonly number[]): Row[] => [
      {
        ...ROWS[0]!,
        rolloutLogprobs: Float32Array.from(ROWS[0]!.rolloutLogprobs!, (v, t) => values[t] ?? v),
      },
      ...ROWS.slice(1),
    ];
    const a = edge([0, NaN, -Infinity]);
    const same = compareBatches([pack(a)], [pack(edge([-0, NaN, -Infinity]))], { within: 0 });
    expect(same.certificate).toBe("equal");
    expect(same.metrics).toMatchObject({ tokens: 959, missing_both: 1, signed_zeros: 1, one_sided: 0 });
    const holes = compareBatches([pack(a)], [pack(edge([0, -1, -Infinity]))]);
    expect([holes.certificate, holes.basis]).toEqual(["different", "missing"]);
    expect(holes.sentence).toBe(
      "1 token has a finite log-prob on one side only, and 1 of 960 tokens differs, the first at s1.q0.t1.",
    );
  });

  it("says where differences begin", () => {
    const masks = new Uint8Array(40).fill(1);
    masks.fill(0, 10, 20);
    const rows = ROWS.map((row) => ({ ...row, responseMask: masks }));
    const late = change(rows, (value, row, token) =>
      rows[row]!.step! > 1 && token >= 25 ? value - 0.1 : value,
    );
    const [column] = compareBatches([pack(rows)], [pack(late)]).columns;
    // 8 sequences of step 1 with 30 tokens each; 10 of each sequence in turn 0; 10 + 5 before position 25.
    expect(column!.starts).toEqual([
      { by: "step", at: 2, equal_before: 240 },
      { by: "turn", at: 1, equal_before: 240 },
      { by: "position", at: 25, equal_before: 360 },
    ]);
    expect(column!.first!.handle).toBe("s2.q2.t25");
    expect(column!.per_turn).toMatchObject([
      { value: 0, tokens: 240, unequal: 0, delta_abs_mean: 0 },
      { value: 1, tokens: 480, unequal: 240 },
    ]);
    expect(column!.per_step.map(({ unequal }) => unequal)).toEqual([0, 120, 120]);
  });
});

describe("pairing", () => {
  it("finds the same tokens whatever the order and the names", () => {
    const other = ROWS.map((row) => ({ ...row, sampleId: undefined, groupId: undefined })).reverse();
    const report = compareBatches([A], [pack(other)], { within: 0 });
    expect(report.certificate).toBe("equal");
    expect(report.pairing).toMatchObject({ by: { tokens: 24 }, token_share: { a: 1, b: 1 } });
  });

  it("counts what has no partner, and what follows where texts part", () => {
    const parted = ROWS.map((row, i) => (i === 3 ? { ...row, ids: row.ids.with(10, 5000) } : row));
    const report = compareBatches([A], [pack(parted.slice(0, -1))], { within: 0 });
    expect(report.certificate).toBe("equal");
    expect(report.pairing).toEqual({
      by: { tokens: 22, id: 1 },
      sequences: 23,
      tokens: 22 * 40 + 10,
      unpaired_sequences: { a: 1, b: 0 },
      token_share: { a: 890 / 960, b: 890 / 920 },
      parted_sequences: 1,
      parted_tokens: 30,
      other_prompts: 0,
      mask_differs: 0,
      unchecked_sequences: 0,
    });
    expect(report.caveats).toContain("A certificate covers only the tokens that were compared.");
  });

  it("of less than half of either side certifies nothing", () => {
    const report = compareBatches([A], [pack(ROWS.slice(0, 11))]);
    expect([report.certificate, report.basis]).toEqual(["undecidable", "coverage"]);
    expect(report.sentence).toBe(
      "Only 45.8 % of A's tokens and 100 % of B's could be compared; a certificate needs 50 % of both.",
    );
    expect(report.next!.why).toContain("at least 50 % of either side");
  });

  it("leaves out partners after other prompts, and tokens of one side's mask", () => {
    const prompted = ROWS.map((row, i) => ({ ...row, promptTokenIds: Int32Array.of(i) }));
    const other = prompted.map((row, i) => ({
      ...row,
      ...(i === 0 && { promptTokenIds: Int32Array.of(99) }),
      ...(i === 1 && { responseMask: new Uint8Array(40).fill(1).fill(0, 0, 4) }),
    }));
    const { pairing, certificate } = compareBatches([pack(prompted)], [pack(other)], { within: 0 });
    expect(certificate).toBe("equal");
    expect(pairing).toMatchObject({ other_prompts: 1, mask_differs: 4, tokens: 22 * 40 + 36 });
  });

  it("takes sequences without ids by their sample id where they are as long, and says that nobody checked", () => {
    const bare = ROWS.map((row) => ({ ...row, responseTokenIds: undefined }));
    const report = compareBatches([pack(bare)], [pack(bare)], { within: 0 });
    expect([report.certificate, report.pairing!.by]).toEqual(["equal", { id: 24 }]);
    expect(report.caveats[0]).toBe(
      "24 sequences without token ids on both sides: that both scored the same tokens was not checked.",
    );
  });

  it("of texts that occur twice takes the copy of the same name", () => {
    const twins = [ROWS[0]!, { ...ROWS[0]!, sampleId: "twin", rolloutLogprobs: ROWS[1]!.rolloutLogprobs }];
    const rows = [...twins, ...ROWS.slice(2)];
    expect(compareBatches([pack(rows)], [pack([...rows].reverse())], { within: 0 }).certificate).toBe(
      "equal",
    );
  });

  it("refuses other texts, each with its reason", () => {
    const other = ROWS.map((row) => ({ ...row, ids: row.ids.map((id) => id + 2000) }));
    expect(() => compareBatches([A], [pack(other)])).toThrow(
      "none of 24 sequences of A has the same tokens in B: 24 sequences of the same name differ at the first token",
    );
    const prompts = (shift: number) =>
      pack(ROWS.map((row, i) => ({ ...row, promptTokenIds: Int32Array.of(i + shift) })));
    expect(() => compareBatches([prompts(0)], [prompts(100)])).toThrow("have other prompts");
    const named = other.map((row) => ({ ...row, sampleId: "x", groupId: "x", row: 5000 }));
    expect(() => compareBatches([A], [pack(named)])).toThrow(
      "none of 24 sequences of A is among the 24 of B",
    );
  });
});

describe("columns", () => {
  const both = ROWS.map((row) => ({
    ...row,
    trainerLogprobs: Float32Array.from(row.rolloutLogprobs!, (value) => value - 0.5),
  }));

  it("that both sides have are all compared, and the worst decides", () => {
    const other = both.map((row) => ({
      ...row,
      trainerLogprobs: Float32Array.from(row.trainerLogprobs, (value) => value - 0.5),
    }));
    const report = compareBatches([pack(both)], [pack(other)]);
    expect(report.columns.map(({ a_column, certificate }) => [a_column, certificate])).toEqual([
      ["trainer", "different"],
      ["rollout", "equal"],
    ]);
    expect([report.certificate, report.sentence.slice(0, 9)]).toEqual(["different", "trainer: "]);
    const chosen = compareBatches([pack(both)], [pack(other)], { columns: ["rollout", "rollout"] });
    expect([chosen.certificate, chosen.columns.length]).toEqual(["equal", 1]);
  });

  it("of one source are its rollout and its trainer, or two that are named", () => {
    const report = compareBatches([pack(both)], undefined);
    expect([report.mode, report.certificate]).toEqual(["columns", "different"]);
    expect(report.metrics.delta_mean).toBeCloseTo(-0.5, 7);
    const scored = both.map((row) => ({ ...row, policyLogprobs: { rescore: row.rolloutLogprobs! } }));
    const decode = compareBatches([pack(scored)], undefined, { columns: ["rollout", "rescore"] });
    expect(decode.certificate).toBe("equal");
    expect(() => compareBatches([A], undefined)).toThrow("the source has no column trainer; it has rollout");
  });

  it("of one source have the figures of a report, to the last bit", () => {
    const random = seededRandom(3);
    const noisy = ROWS.map((row) => ({
      ...row,
      trainerLogprobs: row.rolloutLogprobs!.map((value) => value - 0.1 * random()),
    }));
    const batch = pack(noisy);
    const summary = new RunSummary();
    summary.add(batch);
    const report = pooledMetrics(summary.total);
    const { metrics } = compareBatches([batch], undefined);
    expect([metrics.delta_mean, metrics.delta_abs_max, metrics.prob_diff_max]).toEqual([
      report.delta_mean,
      report.delta_abs_max,
      report.prob_diff_max,
    ]);
  });

  it("keep the turns of A where a token of them is in one side's mask alone", () => {
    const hole = new Uint8Array(40).fill(1).fill(0, 20, 21);
    const a = pack(ROWS);
    const sums = new ColumnSums();
    const mask = Uint8Array.from(a.responseMask, (_, at) => hole[at % 40]!);
    sums.add({ batch: a, a: a.rolloutLogprobs!, b: a.rolloutLogprobs!, mask });
    expect(sums.summary.total.turns).toHaveLength(1);
    const own = new ColumnSums();
    own.add({ batch: { ...a, responseMask: mask }, a: a.rolloutLogprobs!, b: a.rolloutLogprobs!, mask });
    expect(own.summary.total.turns).toHaveLength(2);
  });

  it("of two names are compared where each side has one, and that is said", () => {
    const trainer = ROWS.map(({ rolloutLogprobs, ...row }) => ({ ...row, trainerLogprobs: rolloutLogprobs }));
    const report = compareBatches([A], [pack(trainer)], { within: 0 });
    expect(report.certificate).toBe("equal");
    expect(report.caveats).toContain("A's column rollout was compared with B's trainer.");
  });

  it("that no side has, or only one, are refused", () => {
    expect(() => compareBatches([A], [A], { columns: ["teacher", "teacher"] })).toThrow(
      "A has no column teacher; it has rollout",
    );
    const several = ROWS.map(({ rolloutLogprobs, ...row }) => ({
      ...row,
      policyLogprobs: { x: rolloutLogprobs!, y: rolloutLogprobs! },
    }));
    expect(() => compareBatches([A], [pack(several)])).toThrow(
      "the two sides have no column in common: A has rollout, B has x, y",
    );
  });
});

describe("what the certificate says beside its figures", () => {
  const both = ROWS.map((row) => ({
    ...row,
    trainerLogprobs: Float32Array.from(row.rolloutLogprobs!, (value) => value - 0.5),
  }));
  const refusal = (compare: () => unknown): object => {
    try {
      compare();
    } catch (error) {
      return error as object;
    }
    return {};
  };

  it("names the columns of one source, A first, and no pairing", () => {
    const report = compareBatches([pack(both)], undefined);
    expect(report.caveats).toEqual(["A is the column rollout, B the column trainer."]);
    expect([report.pairing, report.b.columns]).toEqual([null, report.a.columns]);
    expect(compareBatches([A], [A]).pairing).toMatchObject({ sequences: 24, token_share: { a: 1, b: 1 } });
  });

  it("says that every column was compared, and which of them are stored alike", () => {
    const other = both.map((row) => ({
      ...row,
      trainerLogprobs: Float64Array.from(row.trainerLogprobs, (value) => value + 1e-12),
    }));
    expect(compareBatches([pack(both)], [pack(other)]).caveats).toEqual([
      "Both sides have 2 columns; each was compared, and the worst decides.",
      "trainer: A is stored in float32 and B in float64; values that one type lacks cannot be equal.",
    ]);
  });

  it("says that copies of one file agree, only where every digest is known and the same", () => {
    const caveats = (a: (string | null)[], b: (string | null)[]) => {
      const inputs = (digests: (string | null)[]) =>
        digests.map((sha256) => ({ file: "", format: "", trainer: "", bytes: 0, sha256, modified: null }));
      return compareBatches([A], [A], {}, [inputs(a), inputs(b)]).caveats;
    };
    const same = ["A and B are the same files, so they agree whatever they contain."];
    expect(caveats(["x", "y"], ["y", "x"])).toEqual(same);
    expect(caveats(["x"], ["y"])).toEqual([]);
    expect(caveats(["x", null], ["x", null])).toEqual([]);
    expect(caveats([], [])).toEqual([]);
  });

  it("has no names or day where nobody gave any, and those that were given", () => {
    expect(compareBatches([A], [A])).toMatchObject({ by: null, date: null });
    expect(compareBatches([A], [A], {}, undefined, { by: "Ada", date: "2024-03-05" })).toMatchObject({
      by: "Ada",
      date: "2024-03-05",
    });
  });

  it("is withheld of a small part, and asks for sources that share more", () => {
    const report = compareBatches([A], [pack(ROWS.slice(0, 5))]);
    expect([report.certificate, report.basis]).toEqual(["undecidable", "coverage"]);
    expect(report.next).toEqual({
      command: null,
      why: "Give two sources that scored the same tokens: at least 50 % of either side must be in both.",
    });
    expect(report.metrics.clusters_needed).toBeNull();
    expect(report.pairing!.token_share.a).toBeCloseTo(5 / 24, 12);
    expect(report.caveats.at(-1)).toMatch(/^A certificate covers only the tokens that were compared/);
  });

  it("refuses with what to try, whatever is missing", () => {
    const other = ROWS.map((row) => ({ ...row, ids: row.ids.map((id) => id + 2000) }));
    expect(refusal(() => compareBatches([A], [pack(other)]))).toMatchObject({
      likely: "the two sides sampled independently, or use different tokenizers",
      hint: "score one side's token ids under the other policy",
    });
    const prompts = (shift: number) =>
      pack(ROWS.map((row, i) => ({ ...row, promptTokenIds: Int32Array.of(i + shift) })));
    expect(refusal(() => compareBatches([prompts(0)], [prompts(100)]))).toMatchObject({
      likely: expect.stringContaining("different chat templates") as string,
      hint: expect.stringContaining("prompts included") as string,
    });
    const named = other.map((row) => ({ ...row, sampleId: "x", groupId: "x", row: 5000 }));
    expect(refusal(() => compareBatches([A], [pack(named)]))).toMatchObject({
      likely: expect.stringContaining("A has rollout, B has rollout") as string,
      hint: expect.stringContaining("with token ids or sample ids in both") as string,
    });
    expect(refusal(() => compareBatches([A], [A], { unpaired: true }))).toMatchObject({
      message: expect.stringContaining("A has rollout, B has rollout") as string,
      hint: expect.stringContaining("rollout and trainer log-probs each") as string,
    });
    const masked = pack(ROWS.map((row) => ({ ...row, responseMask: new Uint8Array(row.ids.length) })));
    expect(refusal(() => compareBatches([A], [masked]))).toMatchObject({ _tag: "EmptyInputError" });
  });

  it("pairs rows by their prompt's text where there are no ids of it", () => {
    const texts = (name: (i: number) => string) =>
      pack(ROWS.map((row, i) => ({ ...row, promptText: name(i) })));
    const same = texts((i) => `prompt ${i}`);
    expect(compareBatches([same], [texts((i) => `prompt ${i}`)]).certificate).toBe("equal");
    expect(() => compareBatches([same], [texts((i) => `other ${i}`)])).toThrow("have other prompts");
  });

  it("takes short responses for the same only where more than their tokens says so", () => {
    const short = (more: (i: number) => Partial<Row>): Row[] =>
      Array.from({ length: 12 }, (_, i) => ({
        ids: [7, 8, 9],
        rolloutLogprobs: Float32Array.of(-1, -2, -i),
        step: 1,
        ...more(i),
      }));
    const a = short((i) => ({ groupId: `g${i}`, row: i }));
    const b = short((i) => ({ groupId: `g${i}`, row: 100 + i }));
    expect(compareBatches([pack(a)], [pack([...b].reverse())]).certificate).toBe("equal");
    expect(() =>
      compareBatches([pack(short((i) => ({ row: i })))], [pack(short((i) => ({ row: 100 + i })))]),
    ).toThrow("none of 12 sequences of A");
  });
});

/** The definitions, token by token, without anything of the code above. */
function compareNaively(a: readonly Row[], b: readonly Row[]) {
  const facts = { tokens: 0, unequal: 0, sum: 0, largest: 0, first: [Infinity, Infinity, Infinity] };
  for (const [row, { ids, rolloutLogprobs, step }] of a.entries()) {
    const partner = b.find((other) => other.ids.join() === ids.join())!;
    for (let t = 0; t < ids.length; t++) {
      const [x, y] = [rolloutLogprobs![t]!, partner.rolloutLogprobs![t]!];
      facts.tokens++;
      facts.sum += Math.abs(y - x);
      facts.largest = Math.max(facts.largest, Math.abs(y - x));
      if (x === y) continue;
      facts.unequal++;
      const place = [step!, row, t];
      const at = place.findIndex((value, i) => value !== facts.first[i]);
      if (at >= 0 && place[at]! < facts.first[at]!) facts.first = place;
    }
  }
  return facts;
}

describe("against the plain definition", () => {
  it("in any order and in batches of any size", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 9 }), (seed, cut) => {
        const random = seededRandom(seed);
        const rows = drawRows(12, 1 + (seed % 20), seed);
        const other = change(rows, (value) => (random() < 0.3 ? value - random() : value));
        const shuffled = other.map((row) => [random(), row] as const).sort(([x], [y]) => x - y);
        const b = shuffled.map(([, row]) => row);
        const naive = compareNaively(rows, other);
        const parts = [
          pack(rows.slice(0, cut)),
          pack(rows.slice(cut).map((row, i) => ({ ...row, row: cut + i }))),
        ];
        const { metrics, columns } = compareBatches(
          [parts[1]!, parts[0]!],
          [pack(b.slice(cut)), pack(b.slice(0, cut))],
        );
        expect(metrics.tokens).toBe(naive.tokens);
        expect(metrics.unequal).toBe(naive.unequal);
        expect(metrics.delta_abs_mean).toBeCloseTo(naive.sum / naive.tokens, 9);
        expect(metrics.delta_abs_max).toBeCloseTo(naive.largest, 9);
        const [step, row, token] = naive.first;
        expect(columns[0]!.first?.handle).toBe(naive.unequal > 0 ? `s${step}.q${row}.t${token}` : undefined);
      }),
      { numRuns: 40 },
    );
  });
});
