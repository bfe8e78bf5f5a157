/** What each cause explains of Σ|Δ|, and marks that are true beside what makes most of it. */

import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../results/diagnosis.ts";
import { Doctor } from "./doctor.ts";
import { drawRun } from "./drawn-run.test-data.ts";

type Drawing = Parameters<typeof drawRun>[0];

function diagnose(drawing: Partial<Drawing>): Diagnosis {
  const doctor = new Doctor();
  doctor.add(drawRun({ rows: 64, tokens: 60, trainer: (logits) => [...logits], ...drawing }));
  return doctor.diagnose();
}

const noise: Drawing["trainer"] = (logits, { noise: draw }) => logits.map((logit) => logit + 0.002 * draw());
const scaled: Drawing["trainer"] = (logits) => logits.map((logit) => logit / 0.7);
/** One token of twenty of each row is a placeholder. */
const placeholders: Drawing["after"] = (rollout) =>
  rollout.set(rollout.map((value, t) => (t % 20 === 7 ? -1 : value)));
const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);
const asBfloat16: Drawing["after"] = (rollout) =>
  rollout.set(
    rollout.map((value) => {
      floats[0] = value;
      bits[0] = (bits[0]! + 0x8000) & 0xffff0000;
      return floats[0]!;
    }),
  );
const find = ({ causes }: Diagnosis, id: string) => causes.find((cause) => cause.id === id);

describe("what a cause explains", () => {
  it("is nearly all of Σ|Δ| where a mark makes it, and the others explain the rest", () => {
    const parts = diagnose({ trainer: noise, after: placeholders });
    const [first] = parts.causes;
    expect(first).toMatchObject({ id: "sentinel_fill", coexists: false });
    expect(first!.explains).toBeGreaterThan(0.95);
    expect(first!.explains! + find(parts, "healthy")!.explains!).toBeCloseTo(1, 9);
  });

  it("of a column that is one entry late is what moving it back takes away", () => {
    const { causes } = diagnose({ trainer: noise, after: (_, trainer) => trainer.copyWithin(1, 0) });
    expect(causes[0]?.id).toBe("token_shift");
    expect(causes[0]!.explains).toBeGreaterThan(0.99);
  });

  it("is null where nothing differs, and of none of these", () => {
    expect(diagnose({}).causes.map(({ explains }) => explains)).toEqual([null, null, null, null, null]);
    expect(find(diagnose({ trainer: noise }), "cannot_tell")?.explains ?? null).toBeNull();
  });
});

describe("a proven mark that explains little", () => {
  it("does not hide the fault that explains the rest, and is listed beside it with its own probability", () => {
    const parts = diagnose({ trainer: scaled, after: asBfloat16 });
    const [first, second] = parts.causes;
    expect(["temperature_mismatch", "softcap_mismatch"]).toContain(first?.id);
    expect(first!.explains).toBe(1);
    expect(second).toMatchObject({ id: "logprob_storage_rounding", coexists: true });
    expect(second!.explains).toBeLessThan(0.05);
    expect(second!.probability).toBeGreaterThan(0.99);
    expect(parts.sentence).toMatch(
      / Also found, but not what makes most of the difference: log-probs stored with too few/,
    );
    const sum = parts.causes.reduce(
      (total, { probability, coexists }) => total + (coexists ? 0 : probability),
      0,
    );
    expect(sum).toBeGreaterThan(0.95);
    expect(sum).toBeLessThanOrEqual(1 + 1e-9);
  });

  it("is the fault where the rest is an engine's noise", () => {
    const { causes } = diagnose({ trainer: noise, after: asBfloat16 });
    expect(causes[0]).toMatchObject({ id: "logprob_storage_rounding", coexists: false });
  });

  it("is nowhere beside anything where it makes most of the difference", () => {
    const { causes } = diagnose({ trainer: noise, after: placeholders });
    expect(causes.filter(({ coexists }) => coexists)).toEqual([]);
  });
});
