import { describe, expect, it } from "vitest";
import { openDocument } from "../../../ingest/index.ts";
import { memorySource } from "../../io/file-source.ts";
import type { ColumnMapping } from "../adapter.ts";
import { EXPECTED, FIXTURES, picture, readAll, readError } from "../read.test-data.ts";
import { generic } from "./index.ts";

const fixture = (name: string): string => `${FIXTURES}generic/${name}`;
const SIDES = { rollout: EXPECTED.rollout, trainer: EXPECTED.trainer, masks: EXPECTED.masks };

const NESTED: ColumnMapping = {
  rollout: "lp.engine",
  trainer: "lp.fsdp",
  mask: "keep",
  tokens: "ids.a",
  prompt: "ids.q",
  step: "meta.at",
  rank: "meta.worker",
  reward: "score.total",
  group: "prompt_no",
  policies: { reference: "lp.frozen" },
};

describe("rows of agents' frameworks", () => {
  it.each([
    ["agent-lightning", { response_ids: [7, 8], loss_mask: [1, 1], response_logprobs: [-1, -2] }],
    ["evidence of calls", { prompt_token_ids: [5], sampled_token_ids: [7, 8], sampled_logprobs: [-1, -2] }],
  ])("%s: the rollout's log-probs of the sampled tokens", async (_, row) => {
    const bytes = Buffer.from(`${JSON.stringify(row)}\n`.repeat(2));
    const document = await openDocument(memorySource("a.jsonl", bytes));
    const match = await generic.detect(document);
    expect(match?.onePolicy?.has).toBe("rollout");
    expect(match?.found.join()).toContain("response token ids: ");
    await document.close();
  });
});

describe("columns that the user named", () => {
  it("in nested objects, and a name that itself has a dot", async () => {
    const { batches, run } = await readAll(fixture("nested.jsonl"), { mapping: NESTED });
    const { prompts, responses, rewards, groups, reference } = EXPECTED;
    expect(picture(batches[0]!)).toMatchObject({ ...SIDES, prompts, responses, rewards, groups, reference });
    expect([[...batches[0]!.steps], [...batches[0]!.ranks]]).toEqual([
      [12, 12, 12],
      [2, 2, 2],
    ]);
    expect(run.sources[0]).toMatchObject({ trainer: "generic", step: 12, rank: 2 });
    expect(run.sources[0]!.guessed).toEqual([]);
  });

  it("in a dict of tensors", async () => {
    const mapping = { rollout: "dump.x", trainer: "dump.y", mask: "dump.m" };
    const { batches } = await readAll(fixture("nested.pt"), { mapping });
    expect(picture(batches[0]!)).toMatchObject(SIDES);
  });

  it("in packed arrays with lengths", async () => {
    const mapping = { rollout: "x", trainer: "y", mask: "m", lengths: "n" };
    const { batches } = await readAll(fixture("packed.npz"), { mapping });
    expect(picture(batches[0]!)).toMatchObject(SIDES);
  });

  it("wins over what detection would have said", async () => {
    const mapping = { trainer: "ref_log_probs" };
    const { batches, run } = await readAll(`${FIXTURES}verl/rows.jsonl`, { mapping });
    expect(picture(batches[0]!).trainer).toEqual(EXPECTED.reference);
    expect(run.sources[0]!.trainer).toBe("generic");
  });
});

describe("well-known names", () => {
  it("are guessed, and that is said", async () => {
    const { batches, run } = await readAll(fixture("synonyms.jsonl"));
    const { prompts, responses } = EXPECTED;
    expect(picture(batches[0]!)).toMatchObject({ ...SIDES, prompts, responses });
    expect(run.sources[0]!.guessed).toContain(
      "rollout log-probs: taken from sampling_per_token_logps, by its name",
    );
  });
});

describe("columns that are not there", () => {
  const columns = [
    "meta: object {at, worker}",
    "lp: object {engine, fsdp, frozen}",
    "ids: object {q, a}",
    "keep: list of 5 × boolean",
    "score.total: number",
    "prompt_no: text",
  ].join("\n  ");

  it("lists what there is and the flags, when nothing was recognised", async () => {
    const error = await readError(fixture("nested.jsonl"));
    expect(error._tag).toBe("SchemaError");
    expect(error.message).toBe(
      `no rollout and trainer log-probs were recognized; the columns are:\n  ${columns}`,
    );
    expect(error.hint).toContain("--rollout COLUMN --trainer COLUMN");
  });

  it("names the flag that points at nothing", async () => {
    const error = await readError(fixture("nested.jsonl"), {
      mapping: { rollout: "lp.engine", trainer: "lp.fsdpp" },
    });
    expect(error.message).toBe(
      `--trainer names lp.fsdpp, which does not exist; the columns are:\n  ${columns}`,
    );
  });

  it("refuses a column for one side that goes by a well-known name of the other", async () => {
    for (const mapping of [{ rollout: "old_log_probs" }, { trainer: "rollout_log_probs" }]) {
      const [column] = Object.values(mapping);
      for (const file of ["verl/rows.jsonl", "verl/batch.npz"]) {
        const error = await readError(`${FIXTURES}${file}`, { mapping });
        expect([error._tag, error.message]).toEqual([
          "SchemaError",
          `${column} cannot be both the rollout and the trainer log-probs: a column always agrees with itself`,
        ]);
        expect(error.at.file).toContain(file);
      }
    }
  });

  it("names the side that no flag gave, with dtypes and shapes", async () => {
    const error = await readError(fixture("packed.npz"), { mapping: { rollout: "x" } });
    expect(error.message).toBe(
      "no column for the trainer log-probs; the columns are:\n  x: float32 [10]\n  y: float32 [10]\n  m: int64 [10]\n  n: int64 [3]",
    );
    expect(error.hint).toBe("name it: --trainer COLUMN");
  });
});
