import { describe, expect, it } from "vitest";
import { FindingLog } from "../../core/schema/findings.ts";
import { findSeriesFiles } from "../../ingest/series/find.ts";
import type { SeriesReport } from "../../results/series.ts";
import { buildSeriesReport } from "./build-series-report.ts";

/** test/fixtures/rldoctor/README.md */
async function read(run: string): Promise<SeriesReport> {
  const { files } = await findSeriesFiles([`test/fixtures/rldoctor/${run}.csv`], new FindingLog());
  return buildSeriesReport(files, []);
}

/** Of each run, what it has and nothing else; the failure it was made with first. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  healthy: [],
  entropy_collapse: ["bad entropy", "warn clip_sides", "warn plateau"],
  saturated_groups: ["warn flat_groups", "warn plateau"],
  too_hard: ["bad flat_groups", "warn plateau"],
  reward_hacking: ["bad evaluation"],
  length_hacking: ["bad reward_length"],
  truncation: ["bad truncation"],
  kl_blowup: ["bad reference", "warn plateau"],
  clip_saturation: ["bad clipping", "warn entropy", "warn clip_sides"],
  grad_spikes: ["warn gradient_spikes"],
  plateau: ["warn plateau"],
  format_domination: ["bad reward_parts"],
};

const SENTENCES: Readonly<Record<string, string>> = {
  entropy_collapse:
    "Entropy fell from 0.46 to 0.0069, below a tenth since step 87: 2 % of its beginning is left, so the answers to a prompt are nearly alike.",
  saturated_groups:
    "All answers of 75 % of the groups have one reward since step 91: the prompts have become too easy; they have no gradient.",
  too_hard:
    "All answers of 80 % of the groups have one reward: the prompts are too hard, or the grader fails; they have no gradient.",
  reward_hacking:
    "The evaluation fell from 0.40 at step 80 to 0.27 while the reward rose (eval/accuracy; since step 50 the reward went from 0.49 to 1.0): what is rewarded is not what is wanted.",
  length_hacking:
    "Answers grew by 226 %, from 396 to 1,290 tokens, together with the reward (rank correlation +0.98), while the evaluation went from 0.21 to 0.23: the reward pays for length.",
  truncation:
    "33 % of the answers are cut off at the length limit, more than a tenth since step 95: their rewards measure the limit, not the policy.",
  kl_blowup:
    "The KL to the reference is 4.0 nats per token, above 2 since step 142, and rises faster and faster; eval/accuracy no longer rises.",
  clip_saturation:
    "54 % of the tokens are clipped, more than a fifth since step 23: they have no gradient, and the policy moves further in a step than the clip range allows.",
  grad_spikes:
    "7 gradient spikes, the largest 143 times the steps around it, at step 67 (norm 61); the first is at step 27, the last at step 168: clipping bounds the step, not what the optimizer remembers of it.",
  plateau: "The reward is flat since about step 40 (0.64): the last 80 % of the run taught little.",
  format_domination:
    "“format” makes 91 % of the reward's variance from step to step: the policy learns that part, not the task.",
};

describe("the simulated runs of rldoctor", () => {
  it.each(Object.entries(RUNS))("%s: %j", async (run, expected) => {
    const { beside } = await read(run);
    expect(beside.map(({ level, id }) => `${level} ${id}`)).toEqual(expected);
    expect(beside[0]?.sentence).toBe(SENTENCES[run]);
    for (const { do_this, source, read_from } of beside) {
      expect(do_this).toMatch(/\w+ \w+ \w+/);
      expect(source).toMatch(/arXiv|DAPO|rldoctor|AReaL/);
      expect(read_from).not.toEqual([]);
    }
  });

  it("are told of in the headline where something is bad", async () => {
    expect((await read("truncation")).headline).toBe(
      "33 % of the answers are cut off at the length limit, more than a tenth since step 95; none of the 13 logged metrics is known to measure the mismatch of rollout and trainer",
    );
    expect((await read("grad_spikes")).headline).toMatch(/^none of the 13/);
  });
});

describe("logged metrics", () => {
  const steps = Array.from({ length: 40 }, (_, at) => at);
  const entropy = (last: number) => ({
    run: "",
    metric: "actor/entropy",
    steps,
    values: steps.map((step) => (step < 20 ? 0.5 : last)),
  });
  const kl = { run: "", metric: "rollout_corr/k3_kl", steps, values: steps.map(() => 1e-4) };

  it("with a sound mismatch say first what else stopped the run", () => {
    const { headline, level } = buildSeriesReport(
      [{ file: "run.csv", form: "CSV", series: [entropy(0.01), kl] }],
      [],
    );
    expect([level, headline]).toEqual([
      "normal",
      "The mismatch is not what stopped this run: entropy fell from 0.50 to 0.010, most of it at step 20",
    ]);
  });

  it("of several runs are told apart", () => {
    const files = [0.5, 0.01].map((last, at) => ({
      file: `run-${at}/log.csv`,
      form: "CSV",
      series: [entropy(last)],
    }));
    expect(buildSeriesReport(files, []).beside.map(({ id, run }) => [id, run])).toEqual([
      ["entropy", "run-1"],
    ]);
    expect(buildSeriesReport([...files].reverse(), []).beside).toEqual(buildSeriesReport(files, []).beside);
  });
});
