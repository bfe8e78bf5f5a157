import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  FIXTURES,
  readAll,
  readError,
  splitPrompts,
  splitRows,
} from "../../../input/adapters/read.test-data.ts";
import { readOnePolicy } from "../../files/one-policy.test-data.ts";

const details = `${FIXTURES}miles/details`;
const train = (rank: number): string => `${details}/train_data/7_${rank}.pt`;

/** Of scripts/fixtures/adapters_miles.py, by sample index. */
interface Sample {
  readonly prompt: number[];
  readonly response: number[];
  readonly mask: number[];
  readonly rollout: number[];
  readonly trainer: number[];
  readonly reward: number;
  readonly group: string;
  readonly promptText: string;
}
const EXPECTED = JSON.parse(readFileSync(`${FIXTURES}miles/expected.json`, "utf8")) as Record<string, Sample>;

type Batch = Awaited<ReturnType<typeof readAll>>["batches"][number];

/** What was read, in the form of {@link EXPECTED}. */
function pictureSamples(batches: readonly Batch[]): Record<string, Partial<Sample>> {
  const pairs = batches.flatMap((batch) => {
    const [prompts, responses, masks] = [
      splitPrompts(batch)!,
      splitRows(batch, batch.responseTokenIds)!,
      splitRows(batch, batch.responseMask)!,
    ];
    const [rollout, trainer] = [
      splitRows(batch, batch.rolloutLogprobs)!,
      splitRows(batch, batch.trainerLogprobs)!,
    ];
    return batch.sampleIds.map((id, i): [string, Partial<Sample>] => [
      id!,
      {
        prompt: prompts[i]!,
        response: responses[i]!,
        mask: masks[i]!,
        rollout: rollout[i]!,
        trainer: trainer[i]!,
        reward: batch.rewards[i]!,
        ...(batch.groupIds[i] !== undefined && { group: batch.groupIds[i] }),
        ...(batch.promptTexts[i] !== undefined && { promptText: batch.promptTexts[i] }),
      },
    ]);
  });
  return Object.fromEntries(pairs);
}

describe("miles --dump-details, two data-parallel by two context-parallel ranks", () => {
  it("puts slices together and joins the rollout dump by sample index", async () => {
    const { batches, run, findings } = await readAll(details);
    expect(pictureSamples(batches)).toEqual(EXPECTED);
    expect(run.sources.map(({ step, rank }) => [step, rank])).toEqual([
      [7, 0],
      [7, 2],
    ]);
    expect(batches.flatMap(({ correctness }) => [...correctness])).toEqual(
      batches.flatMap(({ sampleIds }) => sampleIds.map((id) => Number(EXPECTED[id!]!.reward === 1))),
    );
    expect(findings.map(({ message }) => message)).toEqual([
      "2 files repeat sequences of the rollout dumps (dashboard_columns): counted once",
      "4 files repeat sequences of the training dumps (policy_loss_debug): counted once",
      "3 files complete others of the run and are read with them: the first, train_data/7_1.pt, with train_data/7_0.pt",
      "1 file repeats the samples of another rank (tensor or pipeline parallel): counted once",
      "1 file without both sides: this is an evaluation dump: it does not hold trainer log-probs",
    ]);
  });

  it("advises nothing where all is read", async () => {
    const { findings } = await readAll(details);
    expect(findings.flatMap(({ hint }) => hint ?? [])).toEqual([]);
  });

  it("says in --explain what was joined", async () => {
    const { run } = await readAll(details);
    expect(run.sources[0]!.found.slice(-2)).toEqual([
      "responses assembled from 2 context-parallel slices (zigzag)",
      "group, prompt and versions: joined from 7.pt of the rollout dump by sample index",
    ]);
  });

  it("gives each token the version of the weights that sampled it", async () => {
    const { batches } = await readAll(details);
    const versions = Object.fromEntries(
      batches.flatMap((batch) =>
        splitRows(batch, batch.weightVersions)!.map((row, i) => [batch.sampleIds[i]!, row]),
      ),
    );
    expect(versions["80"]!.every((version) => version === 6)).toBe(true);
    expect(versions["85"]!.slice(0, 5)).toEqual([5, 5, -1, -1, 6]);
  });

  it("finds the rewards of each rank without the rollout dump, by the order of sample indices", async () => {
    const { batches } = await readAll([0, 1, 2, 3].map(train));
    for (const [id, { reward }] of Object.entries(pictureSamples(batches)))
      expect([id, reward]).toEqual([id, EXPECTED[id]!.reward]);
  });

  it("gives no reward where no file says which are a rank's own, and says so", async () => {
    const { batches, findings } = await readAll([0, 1].map(train));
    expect(batches.flatMap(({ rewards }) => [...rewards]).every(Number.isNaN)).toBe(true);
    expect(findings.map(({ message }) => message)).toContain(
      "4 sequences without a reward: raw_reward covers 8 samples, this file has 4",
    );
  });

  it("joins folders of any names, and not samples of another rollout", async () => {
    const folder = await mkdtemp(join(tmpdir(), "logratio-miles-"));
    try {
      const details12 = `${FIXTURES}slime/details`;
      await cp(`${details12}/train_data/12.pt`, join(folder, "trained/12.pt"));
      await cp(`${details12}/rollout_data/12.pt`, join(folder, "sampled/12.pt"));
      const { batches } = await readAll([join(folder, "trained"), join(folder, "sampled")]);
      expect(batches[0]!.groupIds).toEqual(["0", "0", "0"]);
      // The same step of another run: two indices occur in both, and stand for sequences of other lengths.
      await cp(`${details12}/train_data/12.pt`, join(folder, "other/train_data/12.pt"));
      await cp(`${FIXTURES}slime/other_rollout.pt`, join(folder, "other/rollout_data/12.pt"));
      const other = await readAll(join(folder, "other"));
      expect(other.batches[0]!.groupIds).toEqual([undefined, undefined, undefined]);
      expect(other.findings.map(({ message }) => message)).toContain(
        "3 sequences of the training dumps are not in the rollout dump of the step: group, prompt and versions are unknown",
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("says which slice is missing", async () => {
    const error = await readError(train(1));
    expect([error._tag, error.message]).toEqual([
      "MissingSideError",
      "this miles dump holds context-parallel slice 1 of 2 of each response; the file of context-parallel rank 0 is missing",
    ]);
    expect(error.hint).toBe("give the folder with the files of all ranks of step 7 (7_RANK.pt)");
  });

  it("reads policy_loss_debug alone: each rank's slices, each token once", async () => {
    const { batches } = await readAll(`${details}/policy_loss_debug`);
    const sorted = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);
    const samples = Object.values(EXPECTED);
    expect(sorted(batches.flatMap(({ rolloutLogprobs }) => [...rolloutLogprobs!]))).toEqual(
      sorted(samples.flatMap(({ rollout }) => rollout)),
    );
    expect(sorted(batches.flatMap(({ trainerLogprobs }) => [...trainerLogprobs!]))).toEqual(
      sorted(samples.flatMap(({ trainer }) => trainer)),
    );
    expect(batches.flatMap(({ policyLogprobs }) => Object.keys(policyLogprobs))).toContain("updated");
  });

  it.each([
    ["rollout_data/7.pt", "this is a slime rollout dump: it does not hold the trainer's log-probs"],
    ["rollout_data/eval_7.pt", "this is an evaluation dump: it does not hold trainer log-probs"],
    [
      "dashboard_columns/rollout_7.parquet",
      "this is miles' dashboard mirror of a rollout dump: it does not hold the trainer's log-probs",
    ],
  ])("%s has one policy", async (name, message) => {
    expect((await readError(`${details}/${name}`)).message).toBe(message);
  });

  it.each(["whole", "in slices of 7 bytes", "without its name"] as const)(
    "the rollout dump alone is the rollout policy, %s",
    async (manner) => {
      const { batch, match } = await readOnePolicy(`${details}/rollout_data/7.pt`, manner);
      expect([match.onePolicy?.has, match.step]).toEqual(["rollout", 7]);
      expect(splitRows(batch, batch.rolloutLogprobs)).toEqual(
        batch.sampleIds.map((id) => EXPECTED[id!]!.rollout),
      );
      expect(splitPrompts(batch)).toEqual(batch.sampleIds.map((id) => EXPECTED[id!]!.prompt));
      expect(batch.groupIds).toEqual(batch.sampleIds.map((id) => EXPECTED[id!]!.group));
      expect(batch.trainerLogprobs).toBeUndefined();
    },
  );

  it("miles' dashboard mirror alone is the rollout policy", async () => {
    const { batch, match } = await readOnePolicy(`${details}/dashboard_columns/rollout_7.parquet`);
    expect(match.onePolicy?.has).toBe("rollout");
    expect(splitRows(batch, batch.rolloutLogprobs)).toEqual(
      batch.sampleIds.map((id) => EXPECTED[id!]!.rollout),
    );
  });
});
