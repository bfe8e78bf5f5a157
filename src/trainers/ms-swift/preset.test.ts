import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { msSwift } from "./preset.ts";

checkReference(msSwift);

const MODE = "rollout_importance_sampling_mode";
const THRESHOLD = "rollout_importance_sampling_threshold";
const DELTA = "off_policy_sequence_mask_delta";
const of = (settings: Record<string, number | string | boolean | null>) =>
  completeSettings(msSwift, settings);

test.each([0, -1, null])("threshold %s is refused, unless there is no mode", (threshold) => {
  expect(() => msSwift.correction(of({ [THRESHOLD]: threshold }))).toThrow(UsageError);
  expect(msSwift.correction(of({ [THRESHOLD]: threshold, [MODE]: null }))).toEqual({ steps: [] });
});

test("traps follow the settings", () => {
  const traps = (settings: Record<string, number | string | null>): string =>
    listTraps(msSwift, of(settings)).join("\n");
  for (const words of ["None by default", "0.10.2", "only an upper bound"])
    expect(traps({})).toContain(words);
  expect(traps({})).not.toContain("geometric mean of token ratios");
  expect(traps({ [MODE]: "sequence_mask" })).toContain("own raw ratio");
  expect(traps({ [MODE]: "sequence_truncate" })).toContain("not their product as in verl");
  expect(traps({ [MODE]: null })).toContain("no mismatch metric is logged at all");
  expect(traps({ [DELTA]: 0.1 })).toContain("OPSM takes sequences out of the mask itself");
});

test("written as flags", () => {
  expect(msSwift.config(of({ [DELTA]: 0.1 })).text).toBe(
    `--${MODE} token_truncate \\\n--${THRESHOLD} 2 \\\n--${DELTA} 0.1`,
  );
  expect(msSwift.config(of({ [MODE]: null })).text).toBe("--log_rollout_offpolicy_metrics false");
});

describe("expresses", () => {
  const token = { level: "token", aggregation: "sum" } as const;
  const geometric = { level: "sequence", aggregation: "mean" } as const;

  test("other trainers' guards of 20 nats or none as its own", () => {
    const truncate = [{ action: "truncate", upper: 3 }] as const;
    expect(msSwift.express({ weight: { ...token, logBound: 20 }, steps: truncate })).toEqual(
      of({ [THRESHOLD]: 3 }),
    );
    expect(msSwift.express({ weight: geometric, steps: truncate })).toEqual(
      of({ [MODE]: "sequence_truncate", [THRESHOLD]: 3 }),
    );
    const gate = { action: "zero", measure: { statistic: "ratio", ...geometric }, upper: 3 } as const;
    expect(msSwift.express({ weight: token, steps: [gate] })).toEqual(
      of({ [MODE]: "sequence_mask", [THRESHOLD]: 3 }),
    );
  });

  test("but not a bound that bites, a lower bound, a product or no bound", () => {
    const truncate = [{ action: "truncate", upper: 3 }] as const;
    expect(msSwift.express({ weight: { ...geometric, deltaBound: 1 }, steps: truncate })).toBeUndefined();
    expect(
      msSwift.express({ weight: token, steps: [{ action: "truncate", lower: 0.5, upper: 3 }] }),
    ).toBeUndefined();
    expect(
      msSwift.express({ weight: { level: "sequence", aggregation: "sum" }, steps: truncate }),
    ).toBeUndefined();
    expect(msSwift.express({ weight: token, steps: [] })).toBeUndefined();
  });
});
