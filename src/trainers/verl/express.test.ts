import { describe, expect, it } from "vitest";
import type { Correction } from "../neutral/correction.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { expressInVerl } from "./express.ts";
import { verl } from "./preset.ts";

const WEIGHT = { level: "token", aggregation: "sum", logBound: 20 } as const;
const reject = (
  statistic: "k1" | "k3",
  level: "token" | "sequence",
  bounds: object,
): Correction["steps"][number] => ({
  action: "mask",
  measure: { statistic, level, aggregation: level === "token" ? "sum" : "mean", deltaBound: 20 },
  ...bounds,
});

describe("a correction in verl's own keys", () => {
  it.each<[string, Correction, object | undefined]>([
    [
      "token weights below 2",
      { weight: WEIGHT, steps: [{ action: "truncate", upper: 2 }] },
      { rollout_is: "token", rollout_is_threshold: 2, rollout_rs: null },
    ],
    [
      "a lower end of 0 bounds nothing",
      { weight: WEIGHT, steps: [{ action: "truncate", lower: 0, upper: 2 }] },
      { rollout_is_threshold: 2 },
    ],
    [
      "a lower end above 0 is another correction",
      { weight: WEIGHT, steps: [{ action: "truncate", lower: 0.5, upper: 2 }] },
      undefined,
    ],
    [
      "a bound of 0 is none of verl's",
      { weight: WEIGHT, steps: [{ action: "truncate", upper: 0 }] },
      undefined,
    ],
    ["nothing to do", { steps: [] }, { rollout_is: null, rollout_rs: null, rollout_rs_threshold: null }],
    [
      "sequences above a mean k3",
      { steps: [reject("k3", "sequence", { upper: 0.01 })] },
      { rollout_is: null, rollout_rs: "seq_mean_k3", rollout_rs_threshold: "0.01" },
    ],
    [
      "a lower end of k3 at 0 bounds nothing",
      { steps: [reject("k3", "sequence", { lower: 0, upper: 0.01 })] },
      { rollout_rs: "seq_mean_k3" },
    ],
    ["k3 with a lower end", { steps: [reject("k3", "sequence", { lower: 0.001, upper: 0.01 })] }, undefined],
    ["k3 without an upper end", { steps: [reject("k3", "sequence", { lower: 0 })] }, undefined],
    [
      "one option twice",
      { steps: [reject("k3", "token", { upper: 1 }), reject("k3", "token", { upper: 2 })] },
      undefined,
    ],
  ])("%s", (_, correction, settings) => {
    const expressed = expressInVerl(correction);
    if (settings === undefined) expect(expressed).toBeUndefined();
    else expect(expressed).toMatchObject(settings);
  });
});

describe("verl's own refusals", () => {
  const read = (settings: object) => () => verl.correction(settings as Parameters<typeof verl.correction>[0]);
  const rs = (rollout_rs: string, rollout_rs_threshold: unknown) =>
    read({ rollout_rs, rollout_rs_threshold });
  it("name the wrong value, and the likely reason", () => {
    expect(read({ rollout_is: "token", rollout_is_threshold: true })).toThrow("not a boolean");
    expect(rs("binary_kl", 1)).toThrow(
      expect.objectContaining({ likely: expect.stringContaining("binary_kl came to verl") as string }),
    );
    expect(rs("seq_mean_k4", 1)).toThrow(
      expect.not.objectContaining({ likely: expect.anything() as string }),
    );
    expect(rs("token_k1,seq_mean_k3,seq_sum_k1", "1,2")).toThrow(
      expect.objectContaining({
        likely: "rollout_rs names 3 different options, rollout_rs_threshold has 2 entries",
      }),
    );
    expect(rs("seq_mean_k1", "0_2")).toThrow("must be positive, got 0_2");
    expect(rs("seq_mean_k1", "2_0.5")).toThrow(
      expect.objectContaining({ likely: '"2_0.5" has its upper bound first' }),
    );
    expect(rs("seq_mean_k1", "0.5")).toThrow(
      expect.objectContaining({
        likely: expect.stringContaining("its lower bound is 1/0.5 = 2.0") as string,
      }),
    );
  });

  it("take equal bounds, in nats, and one number for both ends of a ratio", () => {
    expect(rs("seq_mean_k1", "2_2")().steps).toMatchObject([{ lower: Math.log(2), upper: Math.log(2) }]);
    expect(rs("seq_mean_k1", 2)().steps).toMatchObject([{ lower: -Math.log(2), upper: Math.log(2) }]);
    expect(rs("seq_mean_k1", 1)().steps).toMatchObject([{ lower: 0, upper: 0 }]);
    expect(rs("seq_mean_k3", 0.5)().steps).toMatchObject([{ upper: 0.5 }]);
    expect(rs("seq_mean_k3", 0.5)().steps[0]).not.toHaveProperty("lower");
  });

  it("warn of a threshold that YAML reads as a number, by the name of its key", () => {
    const traps = (settings: object) =>
      listTraps(verl, settings as Parameters<typeof verl.correction>[0]).join("\n");
    expect(traps({ rollout_rs: "seq_mean_k1", rollout_rs_threshold: "5_10" })).toContain(
      'rollout_rs_threshold: unquoted, 5_10 is the number 510.0 to YAML and to a Hydra override; write "5_10" in quotes',
    );
    expect(traps({ rollout_is: "token", rollout_is_threshold: "5_10" })).toContain(
      "rollout_is_threshold: unquoted",
    );
  });
});
