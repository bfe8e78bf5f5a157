import { expect, test } from "vitest";
import { checkReference } from "../../shared/reference.test-data.ts";
import { completeSettings } from "../../shared/settings.ts";
import { listTraps } from "../../shared/traps.test-data.ts";
import { openrlhfEarlier as openrlhf } from "./preset.ts";

checkReference(openrlhf);

test("refuses bounds in another order, quoting the order", () => {
  const swapped = completeSettings(openrlhf, { is_correction_threshold: [5, 0.5] });
  expect(() => openrlhf.correction(swapped)).toThrow(/5 0.5; OpenRLHF reads it as "Low and high thresholds"/);
});

test("traps: tis clamps both sides, seq-mask-tis keeps raw ratios, gspo ignores the type", () => {
  const traps = (settings: Record<string, string>) =>
    listTraps(openrlhf, completeSettings(openrlhf, settings)).join("\n");
  expect(traps({})).toContain("a ratio under 0.5 is raised to 0.5");
  expect(traps({ is_correction_type: "seq-mask-tis" })).toContain("raw, untruncated");
  expect(traps({ is_correction_type: "seq-mask-tis" })).toContain("rejects next to nothing");
  expect(traps({ policy_loss_type: "gspo" })).toContain("ignores is_correction_type");
});

test("is written as flags, low before high", () => {
  const settings = completeSettings(openrlhf, {
    is_correction_type: "icepop",
    is_correction_threshold: [0.5, 4],
  });
  expect(openrlhf.config(settings).text).toBe(`--algo.advantage.is_correction_enable
--algo.advantage.is_correction_threshold 0.5 4
--algo.advantage.is_correction_type icepop
`);
});

test("expresses TIS with one bound as low 0, and no product over the sequence", () => {
  const tis = {
    weight: { level: "token", aggregation: "sum", logBound: 20 },
    steps: [{ action: "truncate", upper: 2 }],
  } as const;
  expect(openrlhf.express(tis)).toMatchObject({ is_correction_type: "tis", is_correction_threshold: [0, 2] });
  expect(openrlhf.express({ ...tis, weight: { level: "sequence", aggregation: "sum" } })).toBeUndefined();
});
