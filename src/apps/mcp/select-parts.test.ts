import { expect, it } from "vitest";
import { selectParts } from "./select-parts.ts";

const whole = {
  metrics: { k3: 0.1 },
  per_step: [{ step: 1, worst: [3, 2, 1] }, { step: 2 }, { step: 3 }],
  histograms: { delta: [1, 2, 3, 4] },
  findings: [],
  parity: null,
};

it("sends everything but what is heavy, and names that with its size", () => {
  const { result, not_sent, cut } = selectParts(whole, { parts: undefined, heavy: ["histograms"], rows: 10 });
  expect(result).toEqual({ metrics: whole.metrics, per_step: whole.per_step, findings: [], parity: null });
  expect(not_sent).toEqual({ histograms: JSON.stringify(whole.histograms).length });
  expect(cut).toEqual({});
});

it("sends the parts that were asked for, heavy or not; what is empty is not worth a second call", () => {
  const { result, not_sent } = selectParts(whole, { parts: ["histograms"], heavy: ["histograms"], rows: 10 });
  expect(result).toEqual({ histograms: whole.histograms });
  expect(Object.keys(not_sent)).toEqual(["metrics", "per_step"]);
});

it("cuts lists at every depth, and says how long they are", () => {
  const { result, cut } = selectParts(whole, { parts: ["per_step", "histograms"], heavy: [], rows: 2 });
  expect(result).toEqual({
    per_step: [{ step: 1, worst: [3, 2] }, { step: 2 }],
    histograms: { delta: [1, 2] },
  });
  expect(cut).toEqual({ per_step: 3, "per_step[0].worst": 3, "histograms.delta": 4 });
});

it("refuses a part that is not there, with those that are", () => {
  expect(() => selectParts(whole, { parts: ["per_steps"], heavy: [], rows: 2 })).toThrow(
    expect.objectContaining({
      _tag: "UsageError",
      message: "there is no part per_steps in this result",
      hint: "one of metrics, per_step, histograms, findings, parity",
    }),
  );
});
