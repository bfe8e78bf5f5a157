import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readAll, readError, splitRows } from "../input/adapters/read.test-data.ts";

const places: string[] = [];

async function write(name: string, text: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "logratio-one-object-"));
  places.push(place);
  await writeFile(join(place, name), text);
  return join(place, name);
}

afterEach(async () => {
  for (const place of places.splice(0)) await rm(place, { recursive: true });
});

/** Two sequences of verl, padded on the right. */
const BATCH = {
  rollout_log_probs: [
    [-1, -2, -3],
    [-1, 0, 0],
  ],
  old_log_probs: [
    [-1.5, -2.5, -3.5],
    [-1.25, 0, 0],
  ],
  response_mask: [
    [1, 1, 1],
    [1, 0, 0],
  ],
};

const prime = (version: number) => ({
  schema_version: version,
  step: 4,
  rank: 0,
  token_ids: [1, 2, 3],
  loss_mask: [0, 1, 1],
  inference_logprobs: [0, -1, -2],
  trainer_logprobs: [0, -1.5, -2.25],
});

describe("one JSON object on one line", () => {
  it.each(["batch", "batch.json", "batch.jsonl"])("%s with arrays of a batch is a batch", async (name) => {
    const { batches } = await readAll(await write(name, `${JSON.stringify(BATCH)}\n`));
    expect(splitRows(batches[0]!, batches[0]!.trainerLogprobs)).toEqual([[-1.5, -2.5, -3.5], [-1.25]]);
  });

  it.each(["rank_0", "rank_0.json", "rank_0.jsonl"])(
    "%s with one sequence's lists is a row",
    async (name) => {
      const { run, batches } = await readAll(await write(name, `${JSON.stringify(prime(1))}\n`));
      expect(run.sources[0]!.trainer).toBe("prime-rl");
      expect(splitRows(batches[0]!, batches[0]!.trainerLogprobs)).toEqual([[-1.5, -2.25]]);
      expect(batches[0]!.steps[0]).toBe(4);
    },
  );

  it("is refused by the trainer's adapter whatever its name", async () => {
    const { message } = await readError(await write("rank_0", JSON.stringify(prime(2))));
    expect(message).toBe("prime-rl token export has schema_version 2; logratio knows 1");
  });

  it("from standard input is read as its names say", async () => {
    const table = { columns: ["global_step", "text", "reward"], data: [[1, "a", 0.5]] };
    const stdin = (async function* () {
      yield Buffer.from(JSON.stringify(table));
    })();
    const { message } = await readError("-", { stdin });
    expect(message).toMatch(/^OpenRLHF's table of generated samples holds text only/);
  });
});

describe("rows of which none can be read", () => {
  it("are what the error is about", async () => {
    const line = JSON.stringify(BATCH);
    const error = await readError(await write("batches.jsonl", `${line}\n${line}\n`));
    expect(error.message).toBe(
      "2 rows cannot be read, the first: one row holds a whole batch (list of 2 × numbers [3])",
    );
    expect(error.hint).toBe("write one object per sequence, or each batch to its own .json file");
    expect(error.at).toMatchObject({ row: 0, line: 1 });
  });

  it("because their columns differ in length", async () => {
    const row = { rollout_log_probs: [-1, -2], old_log_probs: [-1], response_mask: [1, 1] };
    const error = await readError(await write("rows.jsonl", `${JSON.stringify(row)}\n`));
    expect(error.message).toBe("1 row cannot be read: trainer log-probs has 1 value, expected 2");
  });
});
