import { describe, expect, it } from "vitest";
import { FindingLog } from "../../../core/schema/findings.ts";
import { openDocument } from "../../../ingest/index.ts";
import {
  expectedWithout,
  FIXTURES,
  picture,
  readAll,
  readError,
} from "../../../input/adapters/read.test-data.ts";
import { openFile } from "../../../input/io/file-source.ts";
import { readEveryWay } from "../../files/read-ways.test-data.ts";
import { verl } from "./index.ts";

const fixture = (name: string): string => `${FIXTURES}verl/pickles/${name}`;
const EXPECTED = expectedWithout("topIds", "topLogprobs");
/** Without what a queue holds before the trainer's pass, or never. */
const QUEUED = expectedWithout("topIds", "topLogprobs", "reference", "entropy", "advantages");

describe("verl's own pickles of a DataProto", () => {
  it.each([
    "torch.pkl",
    "numpy.pkl",
    "whole.pt",
    "getstate.pt",
    "protocol2.pkl",
    "protocol3.pkl",
    "protocol5.pkl",
    "torch.pkl.gz",
  ])("%s", async (name) => {
    for (const { batches, findings } of await readEveryWay(fixture(name))) {
      expect(picture(batches[0]!)).toEqual(EXPECTED);
      expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
      expect([...batches[0]!.correctness]).toEqual(EXPECTED.rewards);
      expect(batches[0]!.sampling).toEqual({ temperature: 0.9 });
      expect(findings).toEqual([]);
    }
  });

  it.each(["dict.pkl", "legacy.pt"])(
    "%s: tensors in a plain pickle, and in torch's old format",
    async (name) => {
      for (const { batches } of await readEveryWay(fixture(name))) {
        expect(picture(batches[0]!)).toEqual(EXPECTED);
      }
    },
  );

  it.each(["queue.pt", "queue_consolidated.pt"])("%s: trajectories of their own lengths", async (name) => {
    for (const { batches } of await readEveryWay(fixture(name))) {
      expect(picture(batches[0]!)).toEqual(QUEUED);
      expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
      expect(batches[0]!.sampleIds).toEqual(["g0_0_0", "g0_1_0", "g1_2_0"]);
    }
  });
});

describe("rows of their own lengths", () => {
  it("leave nothing to guess but how masks combine", async () => {
    const { run } = await readAll(fixture("queue.pt"));
    expect(run.sources[0]!.guessed).toEqual(["response mask: response_mask AND loss_mask"]);
    expect(run.sources[0]!.found).toContain("rollout log-probs: rollout_log_probs, list of 3 × float32 [5]");
  });
});

describe("TensorDicts keep what is no tensor", () => {
  it.each(["tensordict.pt", "consolidated.pt", "stacked.pt"])("%s", async (name) => {
    for (const { batches } of await readEveryWay(fixture(name))) {
      expect(picture(batches[0]!)).toEqual(EXPECTED);
      expect([...batches[0]!.correctness]).toEqual(EXPECTED.rewards);
    }
  });

  it("lazy.pt: a stack that was never put together", async () => {
    const { batches } = await readAll(fixture("lazy.pt"));
    expect(picture(batches[0]!)).toEqual(expectedWithout("topIds", "topLogprobs", "groups", "environments"));
  });

  it("a memory-mapped one is its directory", async () => {
    const { run, batches } = await readAll(fixture("memmap"));
    expect(picture(batches[0]!)).toEqual(EXPECTED);
    expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
    expect([...batches[0]!.correctness]).toEqual(EXPECTED.rewards);
    expect(run.sources.map(({ format, trainer }) => [format, trainer])).toEqual([["memmap", "verl"]]);
  });
});

describe("verl's cached rollouts have one side", () => {
  it.each(["skip/12/gen_batch.dp", "skip/12/0/tq_batch.pt"])("%s", async (name) => {
    const error = await readError(fixture(name));
    expect([error._tag, error.message]).toEqual([
      "MissingSideError",
      "a verl generation batch holds the rollout policy's log-probs only: the trainer side is missing",
    ]);
    const document = await openDocument(await openFile(fixture(name)));
    expect((await verl.detect(document))?.onePolicy?.has).toBe("rollout");
    const { blocks } = await verl.read(document, { findings: new FindingLog(), blockTokens: 1000 });
    const drafts = [];
    for await (const block of blocks) drafts.push(...block);
    await document.close();
    expect(drafts.map(({ rolloutLogprobs }) => Array.from(rolloutLogprobs!))).toEqual(EXPECTED.rollout);
    expect(drafts.map(({ trainerLogprobs }) => trainerLogprobs)).toEqual([undefined, undefined, undefined]);
  });

  it("and the description beside them is none of the data", async () => {
    const error = await readError(fixture("skip"));
    expect(error._tag).toBe("MissingSideError");
    expect(error.at.file).not.toContain("meta.json");
  });
});
