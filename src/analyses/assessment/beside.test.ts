import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import type { BesideFinding } from "../../results/beside.ts";
import type { MismatchReport } from "../../results/report.ts";
import { buildReport } from "../report/build-report.ts";
import { RunSummary } from "../report/run-summary.ts";
import { addLoggedBeside, tellBeside, tellLoggedBeside } from "./beside.ts";

const TOKENS = 40;
const [PROMPTS, ANSWERS, BROKEN] = [8, 4, 15];

/** 20 steps; from step 15 on entropy is gone, and the answers to most prompts have one reward. `file` holds every other prompt. */
function drawBatch(file: "a" | "b", collapse = true): RecordBatch {
  const random = seededRandom(file === "a" ? 1 : 2);
  const builder = createRecordBuilder({
    provenance: { file, format: "json", trainer: "own", alignment: "token" },
  });
  for (let step = 1; step <= 20; step++) {
    const isDead = collapse && step >= BROKEN;
    for (let prompt = file === "a" ? 0 : 1; prompt < PROMPTS; prompt += 2)
      for (let answer = 0; answer < ANSWERS; answer++) {
        const rollout = Float32Array.from({ length: TOKENS }, () => -0.2 - random());
        const isFlat = isDead && prompt !== 7;
        builder.push({
          length: TOKENS,
          responseMask: new Uint8Array(TOKENS).fill(1),
          rolloutLogprobs: rollout,
          trainerLogprobs: rollout.map((value) => value + 0.002 * (random() - 0.5)),
          entropies: { trainer: new Float32Array(TOKENS).fill(isDead ? 0.009 : 0.5 + 0.04 * random()) },
          step,
          groupId: `p${prompt}`,
          reward: isFlat ? 1 : answer % 2,
        });
      }
  }
  return builder.flush();
}

const report = (summary: RunSummary): MismatchReport =>
  buildReport({ run: "r", paths: [], summary, parity: [], findings: [], sources: [] });

function summarize(...batches: readonly RecordBatch[]): RunSummary {
  const summary = new RunSummary();
  for (const batch of batches) summary.add(batch);
  return summary;
}

describe("a run whose mismatch is normal and that died of something else", () => {
  it("says that first, with when", () => {
    const { assessment, verdict } = report(summarize(drawBatch("a"), drawBatch("b")));
    expect(verdict.level).toBe("normal");
    expect(assessment.sentence).toBe(
      "The mismatch is not what stopped this run: entropy fell from 0.52 to 0.0090, most of it at step 15, and all answers of 88 % of the groups have one reward since step 15",
    );
    expect(verdict.headline).toBe(assessment.sentence);
    expect(assessment.beside.map(({ id, level, since_step }) => [id, level, since_step])).toEqual([
      ["entropy", "bad", BROKEN],
      ["flat_groups", "bad", BROKEN],
    ]);
  });

  it("is told the same however its parts were summed and merged", () => {
    const [a, b] = [drawBatch("a"), drawBatch("b")];
    const whole = report(summarize(a, b)).assessment.beside;
    const apart = summarize(b);
    apart.merge(summarize(a));
    const sent = RunSummary.fromJSON(JSON.parse(JSON.stringify(summarize(a))));
    sent.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(summarize(b)))));
    expect(report(apart).assessment.beside).toEqual(whole);
    expect(report(sent).assessment.beside).toEqual(whole);
    expect(whole).not.toEqual([]);
  });

  it("is left alone where nothing collapsed", () => {
    const { assessment } = report(summarize(drawBatch("a", false), drawBatch("b", false)));
    expect(assessment.beside).toEqual([]);
    expect(assessment.sentence).toMatch(/^kernels and precision explain/);
  });
});

describe("what else makes a run teach little", () => {
  const entropy = report(summarize(drawBatch("a"), drawBatch("b"))).assessment.beside[0]!;
  const spikes: BesideFinding = { ...entropy, id: "gradient_spikes", level: "warn", short: "5 spikes" };
  const levels = ["elevated", "high", "broken", "too_few"] as const;

  it("is not put before a mismatch that matters, nor is a warning", () => {
    for (const level of levels)
      expect(tellBeside({ level, headline: "x" }, [entropy])).toEqual({ level, headline: "x" });
    expect(tellBeside({ level: "normal", headline: "x" }, [spikes]).headline).toBe("x");
    expect(tellBeside({ level: "none", headline: "x" }, [entropy]).headline).toMatch(/^The mismatch is not/);
  });

  it("is said before that logged metrics hold no mismatch, with its run", () => {
    const found = { ...entropy, short: "entropy fell", run: "a" };
    expect(tellLoggedBeside(null, "none of 3 metrics", [found])).toBe("entropy fell (a); none of 3 metrics");
    expect(tellLoggedBeside(null, "none of 3 metrics", [spikes])).toBe("none of 3 metrics");
    expect(tellLoggedBeside("high", "k3 is high", [found])).toBe("k3 is high");
  });

  it("joins that of the logged metrics to that of the dump", () => {
    const sound = report(summarize(drawBatch("a", false), drawBatch("b", false)));
    const { assessment, verdict } = addLoggedBeside(sound, [spikes, entropy]);
    expect(assessment.beside).toEqual([entropy, spikes]);
    expect(assessment.sentence).toBe(verdict.headline);
    expect(assessment.sentence).toMatch(/^The mismatch is not what stopped this run: entropy fell/);
  });
});
