import { describe, expect, it } from "vitest";
import type { Diagnosis, DoctorCause } from "../../results/diagnosis.ts";
import { groupCauses } from "./causes.ts";
import { fact, makeCause, makeDiagnosis, makeFix, measure } from "./diagnosis.test-data.ts";

const group = (causes: readonly DoctorCause[], more: Partial<Diagnosis> = {}) =>
  groupCauses(makeDiagnosis("fault", { causes, ...more }));

describe("causes", () => {
  it("are none where nothing is wrong or too little is known, and some where the data do not decide", () => {
    const causes = [makeCause("dropout_on", 0.6)];
    expect(groupCauses(makeDiagnosis("healthy", { causes }))).toEqual([]);
    expect(groupCauses(makeDiagnosis("too_few", { causes }))).toEqual([]);
    expect(groupCauses(makeDiagnosis("cannot_tell", { causes }))).toHaveLength(1);
  });

  it("that look alike are one, with the probability of all, and stand where that puts them", () => {
    const causes = [
      makeCause("stale_weights", 0.3),
      makeCause("layer_not_synced", 0.2),
      makeCause("dropout_on", 0.4),
    ];
    const alike = {
      title: "Different weights",
      causes: ["stale_weights", "layer_not_synced"],
      probability: 0.5,
    };
    const groups = group(causes, { alike });
    expect(groups.map(({ title, probability }) => [title, probability])).toEqual([
      ["Different weights", 0.5],
      ["Dropout on", 0.4],
    ]);
    expect(groups[0]!.causes.map(({ id }) => id)).toEqual(["stale_weights", "layer_not_synced"]);
    // One alone of a group is itself.
    const alone = group([causes[0]!, causes[2]!], { alike });
    expect(alone.map(({ title }) => title)).toEqual(["Dropout on", "Stale weights"]);
  });

  it("leave out that nothing is wrong, that nobody knows, and what is unlikely; four at most", () => {
    const causes = [
      makeCause("healthy", 0.4),
      makeCause("cannot_tell", 0.3),
      ...["a", "b", "c", "d", "e"].map((id, at) => makeCause(id, 0.1 - at / 100)),
      makeCause("f", 0.029),
    ];
    expect(group(causes).map(({ causes: [one] }) => one!.id)).toEqual(["a", "b", "c", "d"]);
    expect(group([makeCause("f", 0.029), makeCause("g", 0.03)]).map(({ causes: [one] }) => one!.id)).toEqual([
      "g",
    ]);
  });

  it("put a certain mark that explains little behind what makes most of the difference, and rank by the rest", () => {
    const causes = [
      makeCause("position_ids_wrong", 0.5, { explains: 0.99 }),
      makeCause("logprob_storage_rounding", 0.999, { coexists: true, explains: 0.001 }),
      makeCause("rope_mismatch", 0.3, { explains: 0.99 }),
    ];
    expect(group(causes).map(({ causes: [one], coexists }) => [one!.id, coexists])).toEqual([
      ["position_ids_wrong", false],
      ["rope_mismatch", false],
      ["logprob_storage_rounding", true],
    ]);
  });

  it("carry the first fix, the first picture and what they explain", () => {
    const picture = { kind: "line", title: "t", x_label: "x", y_label: "y", x: [1], series: [] } as const;
    const evidence = [fact(3, "One."), fact(2, "Two.", { picture })];
    const [one] = group([
      makeCause("dropout_on", 0.9, { evidence, fix: [makeFix("a"), makeFix("b")], explains: 0.7 }),
    ]);
    expect(one).toMatchObject({ picture, explains: 0.7, fix: { line: "a" } });
    expect(group([makeCause("dropout_on", 0.9)])[0]).toMatchObject({ picture: null, fix: null });
  });

  it("name the part of the run that they are about, if they are about one", () => {
    const evidence = [fact(3, "Other."), fact(2, "Rank 3 differs.", { figures: { parts: "3,4,5" } })];
    const part = (family: string) => group([makeCause("one_bad_rank", 0.9, { family, evidence })])[0]!.part;
    expect([part("where"), part("when"), part("weights")]).toEqual(["3,4,5", "step 3", null]);
    expect(group([makeCause("one_bad_rank", 0.9, { family: "where" })])[0]!.part).toBeNull();
  });
});

describe("evidence", () => {
  it("is a contrast with the next cause: value, what each predicts; the widest first, three at most", () => {
    const first = makeCause("stale_weights", 0.6, {
      evidence: [
        measure(1, "the slope", ["1.01", "1.0"]),
        measure(2, "the tail", ["9", "8"]),
        measure(3, "the width", ["0.2", "0.25"]),
        measure(2.5, "the bias", ["0", "0.01"]),
        measure(1.2, "the drift", ["4", "5"]),
      ],
    });
    const second = makeCause("weight_quantization", 0.3, {
      evidence: [
        measure(0.31, "the slope", ["1.01", "1.2"]),
        measure(1, "the tail", ["9", "3"]),
        measure(-3, "the width", ["0.2", "2"]),
        measure(-0.1, "the bias", ["0", "1"]),
        measure(0.5, "the drift", ["4", "6"]),
      ],
    });
    expect(group([first, second])[0]!.evidence).toEqual([
      "the width is 0.2; “Stale weights” predicts 0.25, “Weight quantization” 2.",
      "the bias is 0; “Stale weights” predicts 0.01, “Weight quantization” 1.",
      "the tail is 9; “Stale weights” predicts 8, “Weight quantization” 3.",
    ]);
  });

  it("that both causes predict alike is not told, nor what speaks against, nor what only one was held to", () => {
    const first = makeCause("a", 0.6, {
      evidence: [
        measure(2, "the slope", ["1", "1"]),
        measure(-1, "the tail", ["1", "1"]),
        measure(2, "alone", ["1", "1"]),
      ],
    });
    const second = makeCause("b", 0.3, {
      evidence: [measure(1.31, "the slope", ["1", "1.01"]), measure(-4, "the tail", ["1", "2"])],
    });
    expect(group([first, second])[0]!.evidence).toEqual([]);
    // Without a rival no figure separates anything.
    expect(group([first])[0]!.evidence).toEqual([]);
  });

  it("of two to one is enough to be told", () => {
    const of = (other: number) =>
      group([
        makeCause("a", 0.6, { evidence: [measure(2, "the slope", ["1", "1"])] }),
        makeCause("b", 0.3, { evidence: [measure(other, "the slope", ["1", "9"])] }),
      ])[0]!.evidence.length;
    expect([of(1.3), of(1.31)]).toEqual([1, 0]);
  });

  it("that is a strong fact of its own is told as it is, a weak one is not", () => {
    const evidence = [
      fact(1.5, "Sequence 3 of every 8 is wrong."),
      fact(1.49, "Weak."),
      fact(-9, "Against."),
    ];
    expect(group([makeCause("a", 0.9, { evidence })])[0]!.evidence).toEqual([
      "Sequence 3 of every 8 is wrong.",
    ]);
  });

  it("of the second cause is held against the first", () => {
    const groups = group([
      makeCause("a", 0.6, { evidence: [measure(0.1, "the slope", ["1", "9"])] }),
      makeCause("b", 0.3, { evidence: [measure(2, "the slope", ["1", "1"])] }),
    ]);
    expect(groups[1]!.evidence).toEqual(["the slope is 1; “B” predicts 1, “A” 9."]);
  });
});
