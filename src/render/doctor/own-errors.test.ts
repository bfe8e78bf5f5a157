import { describe, expect, it } from "vitest";
import type { OwnErrors } from "../../results/diagnosis.ts";
import { ownErrorSentence } from "./own-errors.ts";
import { FAULT } from "./sample.test-data.ts";
import { renderDoctorTerminal } from "./terminal.ts";

const range = (low: number, high: number) => ({ low, high });

const ERRORS: OwnErrors = {
  reference: "float32",
  owner: "rollout",
  unit: "prompt",
  clusters: 40,
  no_interval: null,
  columns: [
    {
      column: "trainer",
      tokens: 4000,
      mean: 1e-4,
      rms: 0.025,
      interval: range(0.024, 0.026),
      ratio_to_previous: null,
    },
    {
      column: "rollout",
      tokens: 4000,
      mean: -1e-4,
      rms: 0.031,
      interval: range(0.03, 0.032),
      ratio_to_previous: range(1.19, 1.29),
    },
  ],
  pairs: [
    {
      ...{ first: "rollout", second: "trainer", tokens: 4000, gap_rms: 0.0392, independent_rms: 0.0398 },
      ...{ covariance: 2.4e-5, correlation: 0.03, correlation_interval: range(-0.01, 0.07) },
      ...{ first_share: 0.61, first_share_interval: range(0.55, 0.67) },
    },
  ],
  missing: { float32: 12 },
  columns_left_out: [],
};

const say = (
  errors: Partial<OwnErrors>,
  pair: Partial<OwnErrors["pairs"][number]> = {},
): string | undefined =>
  ownErrorSentence({
    ...FAULT,
    own_errors: { ...ERRORS, pairs: [{ ...ERRORS.pairs[0]!, ...pair }], ...errors },
  });

describe("whose error it is", () => {
  it("is said with each side's error, the gap that they make, and the part of each", () => {
    expect(say({})).toBe(
      "Most of the gap is the rollout's own error: the rollout is off by 0.0310 nats (rms), the trainer by 0.0250. Their errors have a correlation of 0.03 (-0.01 to 0.07). Independent errors would make a gap of 0.0398; it is 0.0392. Of its variance, 61 % (55 % to 67 %) is the rollout's.",
    );
    expect(ownErrorSentence({ ...FAULT, own_errors: null })).toBeUndefined();
  });

  it.each<[OwnErrors["owner"], string]>([
    ["trainer", "Most of the gap is the trainer's own error: "],
    ["both", "The gap is both sides' error: "],
    ["shared", "The two sides are nearer to each other than to float32, which has other weights"],
    ["copy", "float32 equals the trainer's column at every token"],
    [null, "There is no gap: "],
  ])("begins with the answer: %s", (owner, start) => {
    expect(say({ owner })?.startsWith(start)).toBe(true);
  });

  it("names the side that the reference equals", () => {
    const columns = ERRORS.columns.map((column) => ({
      ...column,
      ...(column.column === "rollout" && { rms: 0 }),
    }));
    const said = say({ owner: "copy", columns }, { correlation: null, correlation_interval: null });
    expect(said).toContain("float32 equals the rollout's column at every token");
    expect(said).not.toContain("correlation");
  });

  it("says that errors share a part where their correlation is certain", () => {
    const said = say({}, { correlation: 0.4, correlation_interval: range(0.3, 0.5) });
    expect(said).toContain("correlation of 0.40 (0.30 to 0.50), so they share a part. Independent");
  });

  it("gives figures without a claim where there are too few prompts", () => {
    const none = { correlation_interval: null, first_share_interval: null };
    const said = say({ owner: null, clusters: 7, no_interval: "only 7 prompts" }, none);
    expect(said?.startsWith("Whose the gap is needs ten prompts or more (only 7 prompts): ")).toBe(true);
    expect(said).toContain("correlation of 0.03. Independent");
  });

  it("says that no token has all", () => {
    expect(say({ columns: [], pairs: [], owner: null })).toContain(
      "No token has rollout, trainer and float32",
    );
  });

  it("stands on the first screen, and as a table with counts in the whole text", () => {
    const draw = (sections?: "summary"): string =>
      renderDoctorTerminal(
        { ...FAULT, own_errors: { ...ERRORS, columns_left_out: ["x1", "x2"] } },
        { width: 160, color: false, unicode: true, ...(sections && { sections }) },
      );
    expect(draw("summary")).toContain("errors  Most of the gap is the rollout's own error");
    const whole = draw();
    for (const part of [
      "Whose error",
      "0.0310 (0.0300 to 0.0320)",
      "1.19 to 1.29",
      "no float32",
      "12 tokens",
      "x1, x2",
    ])
      expect(whole).toContain(part);
  });
});
