import { readFileSync } from "node:fs";
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
import { roll } from "./index.ts";

const fixture = (folder: string): string => `${FIXTURES}roll/${folder}/step_000012.pkl`;
const FIGURES = JSON.parse(readFileSync(`${FIXTURES}roll/figures.json`, "utf8")) as {
  meanAbs: number;
  tokens: number;
};
const EXPECTED = { ...expectedWithout("entropy", "topIds", "topLogprobs"), groups: ["0", "0", "1"] };

describe("ROLL's batches", () => {
  it.each(["both", "both_wide"])("%s: hold the sequences, however they come", async (folder) => {
    for (const { batches } of await readEveryWay(fixture(folder))) {
      expect(picture(batches[0]!)).toEqual(EXPECTED);
      expect(batches[0]!.provenance).toMatchObject({ trainer: "roll", alignment: "next-token" });
      expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
    }
  });

  it("give the figure that the arrays give", async () => {
    const { batches } = await readAll(fixture("both"));
    const { rolloutLogprobs, trainerLogprobs, responseMask } = batches[0]!;
    const differences = [...responseMask].flatMap((counts, i) =>
      counts === 0 ? [] : [Math.abs(trainerLogprobs![i]! - rolloutLogprobs![i]!)],
    );
    expect(differences).toHaveLength(FIGURES.tokens);
    const mean = differences.reduce((a, b) => a + b, 0) / differences.length;
    expect(mean).toBeCloseTo(FIGURES.meanAbs, 9);
  });

  it("say by how much each column is shifted", async () => {
    const guessed = async (folder: string): Promise<readonly string[]> =>
      (await readAll(fixture(folder))).run.sources[0]!.guessed;
    const shifted = (name: string): string =>
      `${name}: entry i is about token i + 1, since it is one shorter than input_ids`;
    expect(await guessed("both")).toEqual([shifted("infer_logprobs"), shifted("old_log_probs")]);
    expect(await guessed("both_wide")).toEqual([
      "infer_logprobs: entry i is about token i, since it is as long as input_ids",
      shifted("old_log_probs"),
    ]);
  });

  it.each([
    ["mock/train", "holds the rollout policy's log-probs only: the trainer side is missing"],
    ["text/train", "holds neither policy's log-probs"],
  ])("%s: says what to switch on", async (folder, message) => {
    const error = await readError(fixture(folder));
    expect([error._tag, error.message]).toEqual(["MissingSideError", `a ROLL rollout dump ${message}`]);
    expect(error.hint).toContain("enable_old_logprobs_recompute");
  });

  it("zeros that stand in for a pass that was left out are no log-probs", async () => {
    const document = await openDocument(await openFile(fixture("placeholder")));
    const match = await roll.detect(document);
    await document.close();
    expect(match?.onePolicy?.has).toBe("rollout");
  });

  it("a dump of the rollouts has the engine's side, for who needs no more", async () => {
    const document = await openDocument(await openFile(fixture("mock/train")));
    expect((await roll.detect(document))?.onePolicy?.has).toBe("rollout");
    const { blocks } = await roll.read(document, { findings: new FindingLog(), blockTokens: 1000 });
    const drafts = [];
    for await (const block of blocks) drafts.push(...block);
    await document.close();
    expect(drafts.map(({ trainerLogprobs }) => trainerLogprobs)).toEqual([undefined, undefined, undefined]);
    expect(drafts.map(({ rolloutLogprobs }) => Array.from(rolloutLogprobs!))).toEqual(EXPECTED.rollout);
  });
});
