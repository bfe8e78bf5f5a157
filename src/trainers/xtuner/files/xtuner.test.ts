import { describe, expect, it } from "vitest";
import {
  EXPECTED,
  expectedWithout,
  FIXTURES,
  type Outcome,
  picture,
  readAll,
  readError,
  splitRows,
} from "../../../input/adapters/read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}xtuner/${name}`;
const NOT_PACKED = ["entropy", "topIds", "topLogprobs", "environments"] as const;

/** Labels are -100 at tool tokens, so their ids come from the inputs and are known all the same. */
async function read(name: string): Promise<Outcome> {
  return readAll(fixture(name));
}

describe("xtuner packs", () => {
  it("as flat arrays with lengths, the last token kept", async () => {
    const { batches, run, findings } = await read("flat.safetensors");
    const [batch] = batches;
    expect(picture(batch!)).toEqual(expectedWithout(...NOT_PACKED));
    expect(batch!.provenance).toMatchObject({ trainer: "xtuner", alignment: "next-token" });
    expect([...batch!.steps]).toEqual([12, 12, 12]);
    expect(splitRows(batch!, batch!.positionIds)).toEqual([
      [3, 4, 5, 6, 7],
      [2, 3, 4],
      [4, 5],
    ]);
    expect(run.sources[0]!.missing).toEqual([]);
    expect(findings).toEqual([]);
  });

  it("cut by cu_seq_lens_q alone", async () => {
    const { batches } = await read("bounds.npz");
    expect(picture(batches[0]!)).toEqual(expectedWithout(...NOT_PACKED, "rewards", "groups"));
  });

  it("as a list of packs, the last token dropped from the inputs, the filling left out", async () => {
    const { batches, findings } = await read("packs.pt");
    const [batch] = batches;
    expect(picture(batch!)).toEqual(expectedWithout(...NOT_PACKED, "rewards", "groups"));
    expect([...batch!.packs]).toEqual([0, 0, 1]);
    expect([...batch!.steps]).toEqual([12, 12, 12]);
    expect([...batch!.ranks]).toEqual([3, 3, 3]);
    expect(findings.map(({ message }) => message)).toEqual([`5 padding tokens at the end of packs`]);
  });

  it("as a list under each name, step and rank from the file's name", async () => {
    const { batches } = await read("lists_step_12_rank_3.pt");
    expect(picture(batches[0]!)).toEqual(expectedWithout(...NOT_PACKED, "rewards", "groups"));
    expect([...batches[0]!.packs]).toEqual([0, 0, 1]);
    expect([...batches[0]!.ranks]).toEqual([3, 3, 3]);
  });

  it("as one pack per line", async () => {
    const { batches } = await read("packs.jsonl");
    expect(picture(batches[0]!)).toEqual(expectedWithout(...NOT_PACKED, "rewards", "groups"));
    expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
  });

  it("without ids: responses begin at the first 1 of the mask", async () => {
    const { batches, run } = await read("plain.json");
    const { masks, rollout, trainer, responses, prompts } = picture(batches[0]!);
    expect({ masks, rollout, trainer }).toEqual({
      masks: EXPECTED.masks,
      rollout: EXPECTED.rollout,
      trainer: EXPECTED.trainer,
    });
    expect([responses, prompts]).toEqual([undefined, undefined]);
    expect(batches[0]!.provenance.alignment).toBe("token");
    expect(run.sources[0]!.guessed).toEqual(["responses begin at the first token with mask 1"]);
  });

  it("refuses arrays that are not as long as their sequences together", async () => {
    const error = await readError(fixture("short.npz"));
    expect(error._tag).toBe("LengthMismatchError");
    expect(error.message).toBe(
      "trainer log-probs: 15 tokens, the lengths of the pack's sequences add up to 19",
    );
  });
});
