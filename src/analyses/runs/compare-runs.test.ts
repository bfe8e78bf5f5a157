import { createHash } from "node:crypto";
import { readFile, utimes } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRowFolder, type RowFolder } from "../../../test/support/row-files.ts";
import { compareRuns } from "./compare-runs.ts";

let folder: RowFolder;
const paths = { a: "", b: "", moved: "", rollout: "", trainer: "" };
const responses = [7, 8, 9];
const row = { responses, response_mask: [1, 1, 1] };
const both = (trainer: readonly number[]) => ({
  ...row,
  rollout_log_probs: [-1, -2, -0.5],
  old_log_probs: trainer,
});

beforeAll(async () => {
  folder = await makeRowFolder();
  // Forty prompts: enough for an interval.
  const steps = (trainer: readonly number[]) =>
    Array.from({ length: 40 }, (_, i) => ({ ...both(trainer), step: 1 + (i % 2), group_id: `p${i}` }));
  paths.a = await folder.write("one/run.jsonl", steps([-1.5, -2.25, -0.5]));
  paths.b = await folder.write("two/run.jsonl", steps([-1.5, -2.25, -0.5]));
  paths.moved = await folder.write("moved/run.jsonl", steps([-1.5, -2.25, -0.75]));
  const alone = (column: object) => Array.from({ length: 40 }, () => ({ ...row, ...column }));
  paths.rollout = await folder.write("rollout.jsonl", alone({ rollout_log_probs: [-1, -2, -0.5] }));
  paths.trainer = await folder.write("trainer.jsonl", alone({ old_log_probs: [-1, -2, -0.75] }));
  for (const [name, day] of [
    ["a", "2024-03-05"],
    ["b", "2024-03-07"],
    ["moved", "2024-03-06"],
  ] as const)
    await utimes(paths[name], new Date(`${day}T12:00:00Z`), new Date(`${day}T12:00:00Z`));
});
afterAll(() => folder.remove());

describe("compareRuns", () => {
  it("finds two files of the same figures equal, and says which files with their digests and day", async () => {
    const report = await compareRuns(paths.a, paths.b);
    expect(report).toMatchObject({ mode: "paired", certificate: "equal", date: "2024-03-07" });
    expect(report.metrics).toMatchObject({ unequal: 0 });
    const [input] = report.a.inputs;
    const digest = createHash("sha256")
      .update(await readFile(paths.a))
      .digest("hex");
    expect(input).toMatchObject({ file: paths.a, sha256: digest, modified: "2024-03-05T12:00:00.000Z" });
  });

  it("leaves the digests and the day to who asks for others", async () => {
    const report = await compareRuns(paths.a, paths.b, { digests: false, date: "2020-01-01", by: "Ada" });
    expect(report.date).toBe("2020-01-01");
    expect(report.by).toBe("Ada");
    expect(report.a.inputs[0]).toMatchObject({ sha256: null, modified: "2024-03-05T12:00:00.000Z" });
  });

  it("finds what differs, in B − A, and holds it to the tolerance in nats", async () => {
    const report = await compareRuns(paths.a, paths.moved);
    const trainer = report.columns.find(({ a_column }) => a_column === "trainer");
    expect(trainer!.metrics).toMatchObject({ unequal: 40, delta_abs_max: 0.25 });
    expect(trainer!.metrics.delta_mean).toBeCloseTo(-0.25 / 3, 9);
    expect(report.certificate).toBe("different");
    const rollout = await compareRuns(paths.a, paths.moved, { column: "rollout" });
    expect(rollout.columns.map(({ a_column, b_column }) => [a_column, b_column])).toEqual([
      ["rollout", "rollout"],
    ]);
    expect(rollout.certificate).toBe("equal");
  });

  it("compares columns of two names, and the two columns of one source", async () => {
    const crossed = await compareRuns(paths.a, paths.b, { column: "rollout, trainer" });
    expect(crossed.columns.map(({ a_column, b_column }) => [a_column, b_column])).toEqual([
      ["rollout", "trainer"],
    ]);
    expect(crossed.columns[0]!.metrics.delta_abs_max).toBeCloseTo(0.5, 6);
    const alone = await compareRuns(paths.a);
    expect(alone).toMatchObject({ mode: "columns", certificate: "different" });
    expect(alone.a.name).toBe(alone.b.name);
    expect(alone.a.inputs).toEqual(alone.b.inputs);
    expect(alone.columns[0]!.metrics.delta_mean).toBeCloseTo((-0.5 - 0.25) / 3, 6);
  });

  it("compares how far apart the two policies of each run are, where that is asked for", async () => {
    const report = await compareRuns(paths.a, paths.moved, { unpaired: true });
    expect(report.mode).toBe("unpaired");
    expect((await compareRuns(paths.a, paths.moved, { unpaired: false })).mode).toBe("paired");
  });

  it("takes the tolerance that is given, up to its bound", async () => {
    expect((await compareRuns(paths.a, paths.b, { within: 0 })).certificate).toBe("equal");
    expect((await compareRuns(paths.a, paths.b, { within: 0.5, alpha: 0.49 })).test).toMatchObject({
      within: 0.5,
      alpha: 0.49,
    });
    expect((await compareRuns(paths.a, paths.moved, { within: 8 })).certificate).toBe("equivalent");
  });

  it("names sides by their folders, else by what was given, else by their letters", async () => {
    const named = await compareRuns(paths.rollout, paths.trainer, { column: "rollout,trainer" });
    expect(named.a.name).not.toBe(named.b.name);
    const folders = await compareRuns(paths.a, paths.b);
    expect([folders.a.name, folders.b.name]).toEqual(["one", "two"]);
    const other = await folder.write("other/one/run.jsonl", [{ ...both([-1.5, -2.25, -0.5]), step: 1 }]);
    const given = await compareRuns(paths.a, other);
    expect([given.a.name, given.b.name]).toEqual([paths.a, other]);
    const same = await compareRuns(paths.a, paths.a);
    expect([same.a.name, same.b.name]).toEqual([
      expect.stringMatching(/ \(A\)$/),
      expect.stringMatching(/ \(B\)$/),
    ]);
  });

  it("sends whoever asks why to the doctor: with both columns of a side, or with the pair", async () => {
    const next = async (a: string, b?: string, column?: string) =>
      JSON.stringify((await compareRuns(a, b, column === undefined ? {} : { column })).next);
    expect(await next(paths.a)).toContain(`logratio doctor ${paths.a}`);
    expect(await next(paths.a, paths.moved)).toContain(`logratio doctor ${paths.moved}`);
    expect(await next(paths.a, paths.trainer)).toContain(`logratio doctor ${paths.a}`);
    expect(await next(paths.rollout, paths.trainer)).toContain(
      `logratio doctor ${paths.rollout} ${paths.trainer} --pair`,
    );
  });

  it("compares a text with its teacher-forced echo, whose log-probs are of a prompt", async () => {
    const place = (id: number, logprob: number) => ({ [id]: { logprob, rank: 1, decoded_token: "x" } });
    const [prompt, sampled] = [
      [5, 6],
      [21, 22, 23],
    ];
    const reply = (ids: readonly number[], logprobs: readonly number[], more: object) => ({
      outputs: [
        { index: 0, text: "", token_ids: ids, logprobs: ids.map((id, i) => place(id, logprobs[i]!)) },
      ],
      ...more,
    });
    const decode = await folder.write("decode.jsonl", [
      reply(sampled, [-1, -2, -0.5], { request_id: "0", prompt_token_ids: prompt }),
    ]);
    const scored = [null, place(6, -3), place(21, -1), place(22, -2.25), place(23, -0.5)];
    const echo = await folder.write("echo.jsonl", [
      reply([9], [-0.1], {
        request_id: "0",
        prompt_token_ids: [...prompt, ...sampled],
        prompt_logprobs: scored,
      }),
    ]);
    const report = await compareRuns(decode, echo, { within: 0 });
    expect(report).toMatchObject({ mode: "paired", certificate: "different" });
    expect(report.columns[0]).toMatchObject({
      first: { handle: "q0.t1" },
      metrics: { tokens: 3, unequal: 1, delta_mean: -0.25 / 3 },
    });
    expect(report.pairing).toMatchObject({ by: { "scored text": 1 }, sequences: 1 });
    const other = await folder.write("other.jsonl", [
      reply([31, 32, 33], [-1, -1, -1], { prompt_token_ids: prompt }),
    ]);
    await expect(compareRuns(decode, other)).rejects.toMatchObject({ _tag: "SchemaError" });
  });

  it.each([
    [{ within: -1 }, "--within must be a number of nats from 0 on"],
    [{ within: Number.POSITIVE_INFINITY }, "--within must be"],
    [{ within: Number.NaN }, "--within must be"],
    [{ alpha: 0 }, "--alpha must be a number between 0 and 0.5"],
    [{ alpha: 0.5 }, "--alpha must be"],
    [{ column: "a,b,c" }, "--column must be NAME or NAME_OF_A,NAME_OF_B"],
    [{ column: "a," }, "--column must be"],
    [{ column: "" }, "--column must be"],
  ])("refuses %j", async (options, message) => {
    await expect(compareRuns(paths.a, paths.b, options)).rejects.toThrow(message);
  });

  it("refuses to compare one source with another run that it lacks, and ends when asked to", async () => {
    await expect(compareRuns(paths.a, undefined, { unpaired: true })).rejects.toThrow(
      "comparing runs needs two runs",
    );
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(compareRuns(paths.a, paths.b, { signal })).rejects.toThrow("enough");
  });
});
