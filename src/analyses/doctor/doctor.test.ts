import { describe, expect, it } from "vitest";
import type { StatedSides } from "../../core/schema/findings.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import { Doctor } from "./doctor.ts";
import { drawRun } from "./drawn-run.test-data.ts";
import { weighStated } from "./judge/stated.ts";
import { rankCauses } from "./rank.ts";

/** Changes every value of a column in place. */
function change(column: Float32Array, to: (value: number, t: number) => number): void {
  column.set(column.map(to));
}

type Drawing = Parameters<typeof drawRun>[0];

function diagnose(drawing: Partial<Drawing>, sides?: StatedSides): Diagnosis {
  const doctor = new Doctor();
  doctor.add(drawRun({ rows: 64, tokens: 60, trainer: (logits) => [...logits], ...drawing }));
  const finding = {
    code: "sides-differ",
    severity: "warning",
    message: "they differ",
    count: 64,
    at: { file: "a" },
  } as const;
  return doctor.diagnose(sides && { findings: [{ ...finding, sides }] });
}

const engineNoise: Drawing["trainer"] = (logits, { noise }) => logits.map((logit) => logit + 0.002 * noise());

const firstEvidence = ({ causes }: Diagnosis): string => causes[0]?.evidence[0]?.sentence ?? "";

describe("a drawn run", () => {
  it("with an engine's noise is healthy, and its probabilities sum to at most 1", () => {
    const parts = diagnose({ trainer: engineNoise });
    expect(parts.verdict).toBe("healthy");
    expect(parts.sentence).toMatch(/^Nothing is wrong \(.*\): mean \|Δ\| is [\d.e-]+ nats/);
    const total = parts.causes.reduce((sum, { probability }) => sum + probability, 0);
    expect(total).toBeGreaterThan(0.95);
    expect(total).toBeLessThanOrEqual(1 + 1e-9);
    expect(parts.causes.length).toBeGreaterThanOrEqual(5);
  });

  it("at another temperature is a scaling of logits, in its direction", () => {
    for (const temperature of [0.7, 1.3]) {
      const { causes } = diagnose({ trainer: (logits) => logits.map((logit) => logit / temperature) });
      // Of a few alternatives, what a soft-cap bends is not far from what a temperature does.
      const scaled = new Set(["temperature_mismatch", "softcap_mismatch"]);
      expect(scaled.has(causes[0]?.id ?? "")).toBe(true);
      const found = causes.find(({ id }) => id === "temperature_mismatch");
      const fitted = found?.evidence[0]?.figures.temperature as number;
      expect(fitted > 1).toBe(temperature > 1);
      expect(Math.abs(fitted / temperature - 1)).toBeLessThan(0.25);
      expect(found?.fix[0]?.trainer).toBe("verl");
    }
  });

  it("with a column one entry late is a shift by one, whichever way", () => {
    const late: Drawing["after"] = (_, trainer) => trainer.copyWithin(1, 0);
    const early: Drawing["after"] = (_, trainer) => trainer.copyWithin(0, 1);
    expect(firstEvidence(diagnose({ after: late }))).toContain(
      "Shifted 1 entry later, the trainer column matches",
    );
    expect(firstEvidence(diagnose({ after: early }))).toContain("Shifted 1 entry earlier");
    expect(diagnose({ after: late }).causes[0]?.id).toBe("token_shift");
  });

  it("in base 10 on one side is told with side and base", () => {
    const parts = diagnose({
      after: (rollout) => change(rollout, (value) => value / Math.LN10),
    });
    expect(parts.causes[0]?.id).toBe("log_base");
    expect(firstEvidence(parts)).toContain("A rollout column in base 10 gives ");
  });

  it("of probabilities is told so", () => {
    const parts = diagnose({
      after: (rollout) => change(rollout, Math.exp),
    });
    expect(parts.causes[0]?.id).toBe("probabilities_not_logs");
  });

  it("with a placeholder at some tokens names its value, side and number", () => {
    const parts = diagnose({
      after: (rollout) => change(rollout, (value, t) => (t % 20 === 7 ? -1 : value)),
    });
    expect(parts.causes[0]?.id).toBe("sentinel_fill");
    expect(firstEvidence(parts)).toMatch(
      /rollout log-probs are exactly -1 where the other side is far from that/,
    );
    expect(parts.causes[0]?.handles[0]).toMatch(/^s\d+\.q\d+\.t\d*7$/);
  });

  it("with whole sequences of zeros in equal columns has a placeholder, and no odds that are not numbers", () => {
    const batch = drawRun({
      rows: 64,
      tokens: 60,
      trainer: (logits, { noise }) => logits.map((l) => l + 1e-6 * noise()),
    });
    for (let row = 0; row < 64; row += 8) batch.rolloutLogprobs?.fill(0, row * 60, (row + 1) * 60);
    const doctor = new Doctor();
    doctor.add(batch);
    const { causes } = doctor.diagnose();
    expect(causes.filter(({ probability }) => Number.isNaN(probability))).toEqual([]);
    expect(causes[0]?.id).toBe("sentinel_fill");
  });

  it("with a clamp names the limit", () => {
    const parts = diagnose({
      after: (_, trainer) => change(trainer, (value) => Math.max(value, -2.5)),
    });
    expect(parts.causes[0]?.id).toBe("clamped_logprobs");
    expect(firstEvidence(parts)).toContain("trainer log-probs are exactly -2.5 and none is lower");
  });

  it("stored as bfloat16 is told by its grid", () => {
    const bits = new Uint32Array(1);
    const float = new Float32Array(bits.buffer);
    const parts = diagnose({
      trainer: engineNoise,
      after: (rollout) =>
        change(rollout, (value) => {
          float[0] = value;
          bits[0] = (bits[0]! + 0x8000) & 0xffff0000;
          return float[0] as number;
        }),
    });
    expect(parts.causes[0]?.id).toBe("logprob_storage_rounding");
    expect(firstEvidence(parts)).toContain("All rollout log-probs are bfloat16 numbers");
  });

  it("with rows swapped within their prompts names them, and whose they are", () => {
    const batch = drawRun({ rows: 64, tokens: 60, trainer: engineNoise });
    const rollout = batch.rolloutLogprobs as Float32Array;
    for (let row = 0; row < 64; row += 2) {
      const first = rollout.slice(row * 60, (row + 1) * 60);
      rollout.copyWithin(row * 60, (row + 1) * 60, (row + 2) * 60);
      rollout.set(first, (row + 1) * 60);
    }
    const doctor = new Doctor();
    doctor.add(batch);
    const parts = doctor.diagnose();
    expect(parts.causes[0]?.id).toBe("rows_shuffled_group");
    expect(firstEvidence(parts)).toContain("64 sequences of 64 (100 %)");
  });

  it("with one bad step names the step, and what is wrong in it", () => {
    const parts = diagnose({
      rows: 160,
      steps: 5,
      trainer: (logits, place) =>
        place.step === 2 ? logits.map((logit) => logit / 0.7) : engineNoise(logits, place),
    });
    expect(parts.causes[0]?.id).toBe("one_bad_step");
    expect(parts.causes.slice(1, 3).map(({ id }) => id)).toContain("temperature_mismatch");
    expect(firstEvidence(parts)).toMatch(/^At step 2 the mean gap in logits is/);
  });

  it("of few tokens is too few", () => {
    const parts = diagnose({ rows: 2, tokens: 20 });
    expect(parts.verdict).toBe("too_few");
    expect(parts.sentence).toContain("40 tokens of 2 sequences");
    expect(parts.next_experiment).toBeNull();
  });

  it("is diagnosed alike in any order of batches and merges", () => {
    const [first, second] = [1, 2].map((seed) =>
      drawRun({
        rows: 40,
        tokens: 50,
        seed,
        trainer: (logits, { noise }) => logits.map((l) => l + 0.1 * noise()),
      }),
    ) as [ReturnType<typeof drawRun>, ReturnType<typeof drawRun>];
    const [a, b, c] = [new Doctor(), new Doctor(), new Doctor()];
    a.add(first);
    a.add(second);
    b.add(second);
    c.add(first);
    b.merge(c);
    const [ours, theirs] = [a.diagnose(), b.diagnose()].map(({ causes }) => causes.map(({ id }) => id));
    expect(ours).toEqual(theirs);
  });
});

describe("what the files state of their sides", () => {
  const temperature: StatedSides = { fact: "temperature", rollout: 1, trainer: 0.7 };
  const probability = ({ causes }: Diagnosis, id: string): number =>
    causes.find((cause) => cause.id === id)?.probability ?? 0;

  it("raises the cause that it names by as much as it is worth, and is listed with its count", () => {
    const drawing: Partial<Drawing> = { trainer: (logits) => logits.map((logit) => logit / 0.7) };
    const [without, stated] = [diagnose(drawing), diagnose(drawing, temperature)];
    const odds = (parts: Diagnosis): number => {
      const known = probability(parts, "temperature_mismatch");
      return known / (1 - known);
    };
    expect(Math.log(odds(stated) / odds(without))).toBeCloseTo(4, 1);
    expect(stated.causes.find(({ id }) => id === "temperature_mismatch")?.evidence).toContainEqual({
      sentence:
        "For 64 sequences, the files state temperature 1 on the rollout side and 0.7 on the trainer side.",
      weight: 4,
      figures: { sequences: 64, rollout: 1, trainer: 0.7 },
    });
  });

  it("decides between causes that the numbers leave open", () => {
    const clue = { cause: "", weight: 0, sentence: "", figures: {} };
    const open = new Map(
      ["temperature_mismatch", "softcap_mismatch"].map((id) => [id, { score: 1, clues: [clue] }]),
    );
    const finding = {
      code: "sides-differ",
      severity: "warning",
      message: "",
      count: 2,
      at: { file: "a" },
    } as const;
    const [first, second] = rankCauses(weighStated(open, [{ ...finding, sides: temperature }]));
    expect([first?.id, first!.probability > 0.98, second?.id]).toEqual([
      "temperature_mismatch",
      true,
      "softcap_mismatch",
    ]);
  });

  it("makes no fault of a run whose numbers are sound, nor another cause than they say", () => {
    expect(diagnose({ trainer: engineNoise }, temperature).verdict).toBe("healthy");
    const late: Drawing["after"] = (_, trainer) => trainer.copyWithin(1, 0);
    expect(diagnose({ after: late }, temperature).causes[0]?.id).toBe("token_shift");
  });

  it("says little where it is a name, and nothing where no cause is known by it", () => {
    const drawing: Partial<Drawing> = {
      trainer: (logits, { noise }) => logits.map((one) => one + 0.5 * noise()),
    };
    const [without, named] = [
      diagnose(drawing),
      diagnose(drawing, { fact: "weights", rollout: "step-7", trainer: "b1946ac9" }),
    ];
    const ratio = probability(named, "stale_weights") / probability(without, "stale_weights");
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThan(Math.E);
    expect(diagnose(drawing, { fact: "constructor", rollout: 1, trainer: 2 }).causes).toEqual(without.causes);
  });
});
