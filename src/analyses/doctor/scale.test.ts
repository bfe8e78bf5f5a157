/**
 * The scale of "healthy" on recordings of two models: the lab's toy (V = 400), whose bfloat16 engine has a logit noise of
 * 0.03 nats, and SmolLM2-135M (V = 49,152), whose has 0.10 to 0.14, with a mean |Δ| twenty times as large.
 */

import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SHARED_DATA, warnIfAbsent } from "../../../test/support/shared-data.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { openRun } from "../../ingest/open-run.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import { Doctor } from "./doctor.ts";

const DATA = `${SHARED_DATA}doctor/`;
const present = existsSync(DATA);
warnIfAbsent("the scale of sound engines", DATA);

/** @param factor that Δ is multiplied by */
async function diagnose(name: string, factor = 1): Promise<Diagnosis> {
  const run = await openRun([`${DATA}${name}/data`], { allowPositive: true });
  const doctor = new Doctor();
  for await (const batch of run.batches()) {
    if (factor !== 1) multiply(batch, factor);
    doctor.add(batch);
  }
  return doctor.diagnose();
}

function multiply({ rolloutLogprobs, trainerLogprobs }: RecordBatch, factor: number): void {
  for (let i = 0; i < trainerLogprobs!.length; i++)
    trainerLogprobs![i] = rolloutLogprobs![i]! + factor * (trainerLogprobs![i]! - rolloutLogprobs![i]!);
}

describe.skipIf(!present)("the scale", () => {
  it.each([
    "llm/h-bf16-fp32",
    "llm/h-T0.7",
    "dev/case-001",
    "fresh/case-013",
    "fresh/case-206",
    "fresh/case-005",
  ])("finds a sound engine healthy: %s", async (name) => {
    expect(await diagnose(name)).toMatchObject({
      verdict: "healthy",
      causes: [{ id: "healthy" }, {}, {}, {}, {}],
    });
  });

  it("of 379 tokens of a sound engine says too few, and how many more it takes", async () => {
    const { verdict, sentence } = await diagnose("llm/h-short");
    expect(verdict).toBe("too_few");
    expect(sentence).toMatch(/ It takes 621 more tokens\.$/);
  });

  it.each(["llm/f-T1.2-trainer", "llm/f-T0.7-rawengine", "llm/f-2dec", "llm/f-eos0", "llm/f-rep-raw"])(
    "hides no fault behind a real model's noise: %s",
    async (name) => expect((await diagnose(name)).verdict).toBe("fault"),
  );

  it("shows σ of a real model beside a mean |Δ| that a toy's limit would call broken", async () => {
    const { metrics } = await diagnose("llm/h-bf16-fp32");
    expect(metrics.logit_noise).toBeCloseTo(0.137, 3);
    expect(metrics.logit_noise_mean).toBeCloseTo(0.123, 3);
    expect(metrics.logit_noise_median).toBeCloseTo(0.118, 3);
    expect(metrics.delta_abs_mean).toBeCloseTo(0.0302, 4);
  });

  it("names no cause of a sound Δ that is multiplied: noise to 4 times, then noise without a name", async () => {
    for (const factor of [2, 4])
      expect(await diagnose("dev/case-001", factor)).toMatchObject({ verdict: "healthy" });
    const { verdict, causes } = await diagnose("dev/case-001", 8);
    expect([verdict, causes[0]?.id]).toEqual(["cannot_tell", "cannot_tell"]);
    expect(causes[0]?.evidence[0]?.sentence).toMatch(/^Δ is like noise on logits of 0\.22\d nats/);
  });
});
