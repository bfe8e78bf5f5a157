import { describe, expect, it } from "vitest";
import { FindingLog } from "../../../core/schema/findings.ts";
import { openDocument } from "../../../ingest/index.ts";
import {
  EXPECTED,
  expectedWithout,
  FIXTURES,
  picture,
  readAll,
  readError,
  splitRows,
} from "../../../input/adapters/read.test-data.ts";
import { memorySource, openFile } from "../../../input/io/file-source.ts";
import { pickle, text, writeGlobal } from "../../../input/readers/shared/pickle-writer.test-data.ts";
import { verl } from "./index.ts";

const fixture = (name: string): string => `${FIXTURES}verl/${name}`;

describe("verl batches hold the same sequences in every container", () => {
  it.each(["batch.npz", "batch.pt", "tensordict.pt", "rows.jsonl", "rows.json", "rows.parquet"])(
    "%s",
    async (name) => {
      const { batches, findings } = await readAll(fixture(name));
      expect(batches).toHaveLength(1);
      expect(picture(batches[0]!)).toEqual(EXPECTED);
      expect(batches[0]!.provenance.trainer).toBe("verl");
      expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
      expect(findings).toEqual([]);
    },
  );

  it("flat dicts, and JSON with the same names", async () => {
    for (const name of ["flat.pt", "batch.json"]) {
      const { batches } = await readAll(fixture(name));
      expect(picture(batches[0]!)).toEqual(EXPECTED);
      expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
    }
  });

  it("a consolidated TensorDict", async () => {
    const { batches } = await readAll(fixture("consolidated.pt"));
    expect(picture(batches[0]!)).toEqual(expectedWithout("groups", "environments"));
    expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
  });

  it("a TensorDict alone", async () => {
    const { batches } = await readAll(fixture("tensordict_alone.pt"));
    expect(picture(batches[0]!)).toEqual(expectedWithout("groups", "environments"));
  });

  it("safetensors, which cannot hold text", async () => {
    const { batches } = await readAll(fixture("batch.safetensors"));
    expect(picture(batches[0]!)).toEqual(expectedWithout("groups", "environments"));
  });

  it("padded rows with an attention mask", async () => {
    const { batches } = await readAll(fixture("padded_rows.parquet"));
    expect(picture(batches[0]!)).toEqual(expectedWithout("environments", "topIds", "topLogprobs"));
  });
});

describe("verl details", () => {
  it("cuts position ids to the response and keeps the temperature", async () => {
    const npz = (await readAll(fixture("batch.npz"))).batches[0]!;
    expect(splitRows(npz, npz.positionIds)).toEqual([
      [3, 4, 5, 6, 7],
      [2, 3, 4],
      [4, 5],
    ]);
    const pt = (await readAll(fixture("batch.pt"))).batches[0]!;
    expect(pt.sampling).toEqual({ temperature: 0.9 });
  });

  it("leaves out positions of several dimensions", async () => {
    const { batches } = await readAll(fixture("mrope.pt"));
    expect(batches[0]!.positionIds).toBeUndefined();
    expect(picture(batches[0]!).rollout).toEqual(EXPECTED.rollout);
  });

  it("explains what it found", async () => {
    const { run } = await readAll(fixture("batch.npz"));
    expect(run.sources[0]).toMatchObject({
      trainer: "verl",
      format: "npz",
      step: 12,
      guessed: [],
      missing: [],
    });
    expect(run.sources[0]!.found).toContain("rollout log-probs: rollout_log_probs, float32 [3, 8]");
  });

  it.each(["batch.npz", "batch.pt", "batch.json"])("reads %s the same in blocks of one row", async (name) => {
    const document = await openDocument(await openFile(fixture(name)));
    const { blocks } = await verl.read(document, { findings: new FindingLog(), blockTokens: 1 });
    const lengths: number[] = [];
    const rollout: number[][] = [];
    for await (const drafts of blocks) {
      lengths.push(drafts.length);
      rollout.push(...drafts.map(({ rolloutLogprobs }) => Array.from(rolloutLogprobs!)));
    }
    await document.close();
    expect(lengths).toEqual([1, 1, 1]);
    expect(rollout).toEqual(EXPECTED.rollout);
  });

  it("cuts a batch into small ones", async () => {
    const { batches } = await readAll(fixture("batch.npz"), { batchTokens: 4 });
    expect(batches.map(({ length }) => length)).toEqual([1, 2]);
    const both = batches.map(picture);
    expect(both.flatMap(({ rollout }) => rollout!)).toEqual(EXPECTED.rollout);
    expect(both.flatMap(({ topIds }) => topIds!)).toEqual(EXPECTED.topIds);
    expect(batches.flatMap(({ rows }) => [...rows])).toEqual([0, 1, 2]);
  });
});

describe("a mask that has to be found", () => {
  it("is the tail of the attention mask, so tool tokens count", async () => {
    const { run, batches } = await readAll(fixture("no_response_mask.npz"));
    expect(picture(batches[0]!).masks).toEqual(EXPECTED.responses.map((row) => row.map(() => 1)));
    expect(run.sources[0]!.guessed).toEqual([
      "response mask: the last columns of the attention mask, so tool output counts as sampled",
    ]);
  });

  it("is the tail of the loss mask where there is one", async () => {
    const { run, batches } = await readAll(fixture("loss_mask.npz"));
    expect(picture(batches[0]!).masks).toEqual(EXPECTED.masks);
    expect(run.sources[0]!.guessed).toEqual(["response mask: the last columns of the loss mask"]);
  });

  it("cuts padding at the last 1 where there is no attention mask", async () => {
    const { run, batches } = await readAll(fixture("no_attention.npz"));
    expect(picture(batches[0]!)).toMatchObject({ responses: EXPECTED.responses, masks: EXPECTED.masks });
    expect(run.sources[0]!.guessed).toEqual([
      "prompts: not trimmed, since no attention mask says where they begin",
    ]);
  });

  it("is all ones without any", async () => {
    const { run, batches } = await readAll(fixture("no_mask.npz"));
    expect(picture(batches[0]!).masks).toEqual([0, 1, 2].map(() => Array(8).fill(1)));
    expect(run.sources[0]!.guessed).toContain("response mask: not present, so every token counts as sampled");
  });
});

describe("verl batches that cannot be read", () => {
  it("says how to save a batch of a class that only its trainer knows", async () => {
    const bytes = pickle(
      "}",
      text("batch"),
      writeGlobal("trainer.tensordicts", "RolloutTensorDict"),
      ")",
      Uint8Array.of(0x81),
      "s",
    );
    const document = await openDocument(memorySource("batch.pkl", bytes));
    const problem = (await verl.detect(document))?.problem;
    expect([problem?._tag, problem?.message]).toEqual([
      "UnsupportedError",
      "the batch is a pickled trainer.tensordicts.RolloutTensorDict, whose tensors are not read",
    ]);
    expect(problem?.hint).toContain("dict(data.batch.items())");
  });

  it("names both shapes when widths differ", async () => {
    const error = await readError(fixture("widths_differ.npz"));
    expect(error._tag).toBe("LengthMismatchError");
    expect(error.message).toBe("old_log_probs is float32 [3, 7], rollout_log_probs is float32 [3, 8]");
    expect(error.at).toEqual({ file: fixture("widths_differ.npz"), entry: "old_log_probs" });
  });

  it("names both shapes when rows differ", async () => {
    const error = await readError(fixture("rows_differ.npz"));
    expect(error.message).toBe("old_log_probs is float32 [2, 8], rollout_log_probs is float32 [3, 8]");
    expect(error.likely).toBe("the arrays come from different batches");
  });

  it("says which side is missing and how to have it written", async () => {
    const error = await readError(fixture("rollout_only.npz"));
    expect(error._tag).toBe("MissingSideError");
    expect(error.message).toBe(
      "a verl generation batch holds the rollout policy's log-probs only: the trainer side is missing",
    );
    expect(error.hint).toContain("calculate_log_probs=True");
  });
});
