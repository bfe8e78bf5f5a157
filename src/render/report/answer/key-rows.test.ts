import { describe, expect, it } from "vitest";
import { interval, sampleReport } from "../../../../test/report/sample-report.ts";
import type { BaselineReading, MismatchReport, ReadingLevel } from "../../../results/report.ts";
import { eventsOf, makeEvent, makeReport, makeSegment } from "./answer.test-data.ts";
import { keyRows } from "./key-rows.ts";

function reading(metric: string, level: ReadingLevel, more: Partial<BaselineReading> = {}): BaselineReading {
  return {
    metric,
    value: 0.01,
    level,
    level_range: [level, level],
    usual: "< 1",
    band: "",
    source: "",
    ...more,
  };
}

const ALL = [
  reading("ess", "normal"),
  reading("pearson", "high", { value: 0.9 }),
  reading("k3", "elevated"),
  reading("delta_abs_mean", "normal"),
  reading("prob_diff_above_half", "elevated"),
  reading("prob_diff_mean", "normal"),
];

function report(readings: readonly BaselineReading[], more: Partial<MismatchReport> = {}): MismatchReport {
  const base = sampleReport();
  return makeReport({}, { verdict: { ...base.verdict, readings }, ...more });
}

describe("the figures of the first screen", () => {
  it("are four, in one order, then those that make the level worse", () => {
    expect(keyRows(report(ALL)).map(({ key, level }) => [key, level])).toEqual([
      ["delta_abs_mean", "normal"],
      ["k3", "elevated"],
      ["prob_diff_above_half", "elevated"],
      ["ess", "normal"],
      ["pearson", "high"],
    ]);
  });

  it("are those of the worst reading where several read one figure", () => {
    const readings = [reading("k3", "normal", { usual: "< 2" }), reading("k3", "high", { usual: "< 1" })];
    expect(keyRows(report(readings))).toMatchObject([{ level: "high", usual: "< 1" }]);
  });

  it("name two more at most", () => {
    const more = ["pearson", "prob_diff_mean", "ratio_outside"].map((metric) => reading(metric, "high"));
    expect(keyRows(report([...ALL.slice(2, 4), ...more]))).toHaveLength(4);
  });

  it("say the worse end of an interval where that changes the word, and on the side that is worse", () => {
    const open = (metric: string) => reading(metric, "normal", { level_range: ["normal", "high"] });
    const intervals = {
      ...{ delta_abs_mean: interval(0.0031, 0.0512), ess: interval(0.2, 0.9996) },
      k3: interval(Number.NaN, Number.NaN),
    };
    const rows = (of: readonly BaselineReading[]) =>
      Object.fromEntries(keyRows(report(of, { intervals })).map(({ key, worstTo }) => [key, worstTo]));
    expect(rows(["delta_abs_mean", "ess", "k3"].map(open))).toEqual({
      delta_abs_mean: "0.0512",
      ess: "0.20000",
      k3: "",
    });
    expect(rows(["delta_abs_mean", "ess", "k3"].map((key) => reading(key, "normal")))).toEqual({
      ...{ delta_abs_mean: "", ess: "", k3: "" },
    });
  });

  it("count tokens with |Δp| above ½, and how many of them are one mistake", () => {
    const one = [reading("prob_diff_above_half", "elevated")];
    const of = (share: number, tokens: number) => {
      const { metrics, ...rest } = report(one);
      const events = eventsOf(makeEvent({ tokens }));
      const assessment = { ...rest.assessment, events };
      return keyRows({ ...rest, assessment, metrics: { ...metrics, prob_diff_above_half: share } })[0]!;
    };
    expect(of(0, 1)).toMatchObject({ value: "no token", note: "" });
    expect(of(1 / 3000, 1)).toMatchObject({ value: "1 token", note: "" });
    expect(of(11 / 3000, 8)).toMatchObject({ value: "11 tokens", note: "8 of them the same mistake" });
  });

  it("say since when the KL is sound, of a run that became so", () => {
    const when = (...segments: ReturnType<typeof makeSegment>[]) =>
      makeReport(
        { when: { words: null, segments, steps_skipped: 0, false_alarm_rate: 0.05 } },
        { verdict: { ...sampleReport().verdict, readings: ALL } },
      );
    const note = (of: MismatchReport) => keyRows(of).find(({ key }) => key === "k3")!.note;
    expect(note(when(makeSegment([1, 9], "high"), makeSegment([10, 20], "normal", 0.0039)))).toBe(
      "3.90e-5 since step 10",
    );
    expect(note(when(makeSegment([1, 9], "normal"), makeSegment([10, 20], "high")))).toBe("");
    expect(note(when(makeSegment([1, 20], "normal")))).toBe("");
  });

  it("leave out the digits of an ESS that is all but 1, and tell it from 1", () => {
    const value = (ess: number) => {
      const made = report([reading("ess", "normal")]);
      return keyRows({ ...made, metrics: { ...made.metrics, ess } })[0]!.value;
    };
    expect([0.9991, 1 - 1.6e-11, 1].map(value)).toEqual(["0.99910", ">0.99999", "1"]);
  });

  it("say where a figure is not to be trusted, before anything else", () => {
    const [row] = keyRows(report([reading("ess", "normal", { caution: "k̂ is 0.9" })]));
    expect(row).toMatchObject({ isUnreliable: true, note: "unreliable: large ratios are hardly sampled" });
  });
});
