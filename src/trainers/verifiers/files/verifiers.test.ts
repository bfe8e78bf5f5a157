import { appendFile, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { growingRun, walk } from "../../../ingest/index.ts";
import {
  EXPECTED,
  FIXTURES,
  type Outcome,
  readAll,
  readError,
  splitRows,
} from "../../../input/adapters/read.test-data.ts";

const MONITORS = `${FIXTURES}verifiers/monitors`;

/** Values of tokens that the policy sampled; the trainer's of the others are in no file. */
function sampledOnly(rows: readonly (readonly number[])[]): number[][] {
  return rows.map((row, i) => row.map((value, t) => (EXPECTED.masks[i]![t] === 0 ? Number.NaN : value)));
}

function column(
  { batches }: Outcome,
  values: (batch: Outcome["batches"][number]) => ArrayLike<number> | undefined,
): number[][] {
  return batches.flatMap((batch) => splitRows(batch, values(batch))!);
}

function messages({ findings }: Outcome, severity: string): string[] {
  return findings.filter((finding) => finding.severity === severity).map(({ message }) => message);
}

describe("a prime-rl run with its stream and annotations", () => {
  it("has both policies: chunks, sealed or not, folded by the newest update", async () => {
    const outcome = await readAll(MONITORS);
    const ids = outcome.batches.flatMap(({ sampleIds }) => sampleIds);
    expect(ids).toEqual(["t0", "t1", "t2"]);
    expect(column(outcome, ({ responseTokenIds }) => responseTokenIds)).toEqual(EXPECTED.responses);
    expect(column(outcome, ({ rolloutLogprobs }) => rolloutLogprobs)).toEqual(sampledOnly(EXPECTED.rollout));
    expect(column(outcome, ({ trainerLogprobs }) => trainerLogprobs)).toEqual(sampledOnly(EXPECTED.trainer));
    expect(column(outcome, ({ entropies }) => entropies.trainer)).toEqual(sampledOnly(EXPECTED.entropy));
    expect(column(outcome, ({ advantages }) => advantages)).toEqual(sampledOnly(EXPECTED.advantages));
    expect(outcome.batches.flatMap(({ steps }) => [...steps])).toEqual([12, 12, 12]);
    expect(outcome.run.sources.map(({ run, step }) => [run, step])).toEqual(
      new Array(2).fill(["verifiers", undefined]),
    );
    expect(outcome.run.onePolicy).toBeUndefined();
  });

  it("says what it leaves out: a path and an evaluation without trainer, an episode without tokens", async () => {
    const outcome = await readAll(MONITORS);
    // The fork of t0 has 2 sampled tokens of its own, the evaluation 3.
    expect(messages(outcome, "info")).toEqual(
      expect.arrayContaining([
        "5 sampled tokens that the trainer has not scored",
        "1 episode without tokens",
      ]),
    );
    expect([messages(outcome, "warning"), messages(outcome, "skipped")]).toEqual([[], []]);
  });

  it("is one policy if only the stream is given, with the way to both", async () => {
    const outcome = await readAll(`${MONITORS}/file/traces/stream`, { onePolicy: true });
    expect(outcome.run.onePolicy?.has).toBe("rollout");
    expect(outcome.run.onePolicy?.error.hint).toContain("monitors/file/traces/annotations");
  });

  it("refuses annotations and indexes without traces", async () => {
    const annotations = await readError(`${MONITORS}/file/traces/annotations/trainer`);
    expect(annotations.message).toBe("this is prime-rl's annotations of traces, without the traces");
    const index = await readError(`${MONITORS}/file/traces/stream.index.jsonl`);
    expect(index.message).toContain("index");
  });
});

describe("damaged and unusual streams", () => {
  let traces: string;
  beforeEach(async () => {
    const run = await mkdtemp(join(tmpdir(), "logratio-stream-"));
    traces = join(run, "monitors/file/traces");
    await cp(`${MONITORS}/file/traces`, traces, { recursive: true });
  });
  afterEach(() => rm(join(traces, "../../.."), { recursive: true, force: true }));

  const trainer = (name: string): string => join(traces, "annotations/trainer", name);
  const update = (trace: string, more: object = {}): string =>
    `${JSON.stringify({ version: 1, trace_id: trace, info: {}, branches: [], ...more })}\n`;

  it("counts updates of other versions, of traces that are not there, and of branches that are none", async () => {
    await appendFile(
      trainer("00001.jsonl"),
      [
        update("t1", { version: 2, branches: [{ index: 0, trainer_logprobs: [0, 0, 0, 0, 0] }] }),
        update("gone"),
        update("t1", { branches: [{ index: 4, entropies: [1] }] }),
        update("t1").replace("trace_id", "trace"),
      ].join(""),
    );
    const outcome = await readAll(traces);
    expect(column(outcome, ({ trainerLogprobs }) => trainerLogprobs)).toEqual(sampledOnly(EXPECTED.trainer));
    expect(messages(outcome, "skipped")).toEqual([
      "1 annotation of version 2 not applied: logratio knows 1",
      "1 row cannot be read: no trace_id",
      "1 trace with annotations is in no file, the first: gone",
    ]);
    expect(messages(outcome, "warning")).toEqual(["1 branch of annotations that their traces do not have"]);
  });

  it("reads what is whole of files that are being written, and tells what is not", async () => {
    await appendFile(trainer("00001.jsonl"), update("t2").slice(0, 40));
    await appendFile(join(traces, "stream/00001.jsonl"), '{"id": "e5", "traces": [{"id": "t5"');
    const outcome = await readAll(traces);
    expect(column(outcome, ({ trainerLogprobs }) => trainerLogprobs)).toEqual(sampledOnly(EXPECTED.trainer));
    const cut = outcome.findings.filter(({ code }) => code === "partial-line");
    expect(cut.map(({ count, at }) => [count, dirname(at.file!).slice(-7)])).toEqual([
      [1, "trainer"],
      [1, "/stream"],
    ]);
  });

  it("counts the tokens that the loss left out", async () => {
    const masked = [null, null, true, false, true];
    await appendFile(trainer("00001.jsonl"), update("t1", { branches: [{ index: 0, is_masked: masked }] }));
    expect(messages(await readAll(traces), "info")).toContain(
      "2 tokens that the trainer's loss left out (is_masked): they count in all figures",
    );
  });

  it("reads a chunk that exists twice once, while it is being sealed", async () => {
    const sealed = join(traces, "stream/00000.jsonl.zst");
    await cp(`${FIXTURES}verifiers/rollouts/step_12/train/all/traces.jsonl`, sealed.slice(0, -4));
    const outcome = await readAll(traces);
    expect(outcome.findings.some(({ code, omits }) => code === "duplicate" && omits?.unit === "file")).toBe(
      true,
    );
    expect(outcome.batches.flatMap(({ sampleIds }) => sampleIds)).toEqual(["t0", "t1", "t2", "t2"]);
  });

  it("is read again when its annotations have grown", async () => {
    const stamps = async (): Promise<Map<string, string>> => {
      const { files } = await walk([traces]);
      return new Map(
        await Promise.all(files.map(async ({ path }) => [path, String((await stat(path)).size)] as const)),
      );
    };
    const growing = growingRun([traces]);
    const growth = await growing.look(await stamps(), () => true);
    if ("broken" in growth) throw new Error(growth.broken);
    for await (const _ of growth.batches());
    expect(await growing.look(await stamps(), () => true)).toMatchObject({ news: [] });
    await appendFile(trainer("00001.jsonl"), update("t2"));
    expect(await growing.look(await stamps(), () => true)).toEqual({
      broken: `${trainer("00001.jsonl")}, which was read before, has changed`,
    });
  });

  /** What is read for the third episode, and whether alone. */
  async function readThird(): Promise<Outcome & { readonly isAlone: boolean }> {
    let isAlone = false;
    const onAlone = (): void => {
      isAlone = true;
    };
    return { ...(await readAll(traces, { onlyRow: { row: 2, onAlone } })), isAlone };
  }

  it("finds an episode in its chunk, and its updates, by the indexes", async () => {
    const whole = await readAll(traces);
    expect(whole.batches.flatMap(({ rows }) => [...rows])).toEqual([0, 1, 2]);
    const { isAlone, batches } = await readThird();
    expect([isAlone, batches.length]).toEqual([true, 1]);
    const [alone, last] = [batches[0]!, whole.batches.at(-1)!];
    expect(alone.sampleIds).toEqual(["t2"]);
    for (const name of [
      "rows",
      "rolloutLogprobs",
      "trainerLogprobs",
      "advantages",
      "responseTokenIds",
      "steps",
    ] as const)
      expect(alone[name]).toEqual(last[name]);
    expect(alone.entropies).toEqual(last.entropies);
  });

  it.each([
    // Another chunk is left out, as the index says in which one the episode is.
    ["points past the end", (text: string) => text.replace(/("line":3,"offset":)\d+/, "$1999999"), ["t2"], 1],
    ["points to another episode", (text: string) => text.replace('"id":"e2"', '"id":"e9"'), ["t2"], 0],
    ["lacks the episode", (text: string) => text.replace(/.*"line":3,.*\n/, ""), ["t0", "t1", "t2"], 0],
  ])("reads all where the index %s", async (_, change, ids, warnings) => {
    const index = join(traces, "stream.index.jsonl");
    await writeFile(index, change(await readFile(index, "utf8")));
    const outcome = await readThird();
    expect(outcome.batches.flatMap(({ sampleIds }) => sampleIds)).toEqual(ids);
    expect(column(outcome, ({ trainerLogprobs }) => trainerLogprobs).at(-1)).toEqual(EXPECTED.trainer[2]);
    const said = messages(outcome, "warning");
    expect(said).toHaveLength(warnings);
    if (warnings > 0) expect(said[0]).toContain("in an index of prime-rl's traces hold no record");
  });

  it("folds from files that allow no second look", async () => {
    const plain = await readFile(trainer("00001.jsonl"));
    await writeFile(trainer("00001.jsonl.gz"), gzipSync(plain));
    await rm(trainer("00001.jsonl"));
    const outcome = await readAll(traces);
    expect(column(outcome, ({ trainerLogprobs }) => trainerLogprobs)).toEqual(sampledOnly(EXPECTED.trainer));
  });

  it("reads the files from before there were chunks", async () => {
    const old = join(traces, "../old");
    await mkdir(join(old, "annotations"), { recursive: true });
    await cp(join(traces, "stream/00001.jsonl"), join(old, "stream.jsonl"));
    await cp(trainer("00001.jsonl"), join(old, "annotations/trainer.jsonl"));
    const outcome = await readAll(old);
    expect(outcome.batches.flatMap(({ sampleIds }) => sampleIds)).toEqual(["t2"]);
    expect(messages(outcome, "skipped")).toEqual(["1 trace with annotations is in no file, the first: t1"]);
  });
});
