import { copyFile, mkdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sized } from "../../../../../test/support/run-size.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { CorrectSteps, StepSeries, TopTokens } from "../../../../results/view.ts";
import { decodeSequence } from "../../../../results/wire/sequence.ts";
import { decodeTable } from "../../../../results/wire/table.ts";
import { ANSWER_FILES, DIGITS_FILE, OFFSETS_FILE, VOCABULARY_FILE } from "../cache/cache-files.ts";
import { describeInputs } from "../cache/inputs.ts";
import type { PrepareOptions } from "../cache/options.ts";
import { prepareRun } from "../cache/prepare-run.ts";
import type { PreparedRun } from "../cache/prepared-run.ts";
import { readQuestion } from "../correct/question.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../made-run.test-data.ts";
import { PASS_FILES } from "../pass/run-pass.ts";
import { beginLivingRun, type Looked } from "./living-run.ts";

let work: Workspace;
beforeEach(async () => {
  work = await workspace();
});
afterEach(() => work.remove());

const PAST = new Date(Date.now() - 60_000);
let made = 0;

async function write(folder: string, step: number, rows: number): Promise<void> {
  const name = `${folder}/step_${step}.jsonl`;
  const row = (at: number): Readonly<Record<string, unknown>> => ({
    step,
    prompt_ids: [1, 20 + at],
    response_ids: [40 + step, 41 + at, 50],
    old_log_probs: [-1 - step / 10, -2 - at / 7, at % 3 === 0 ? null : -2.5],
    response_mask: [1, at % 2, 1],
    reward: at,
    acc: at % 2,
    uid: `g${at}`,
    environment: step % 2 === 0 ? "even" : "odd",
  });
  await work.run(
    name,
    Array.from({ length: rows }, (_, at) => row(at)),
  );
  await utimes(work.path(name), PAST, PAST);
}

/** The states of a run whose steps arrive so, the last one open. */
async function grown(
  folder: string,
  arrivals: readonly (readonly (readonly [step: number, rows: number])[])[],
  options: PrepareOptions,
): Promise<{ run: PreparedRun; end: () => Promise<void> }> {
  await mkdir(work.path(folder));
  const paths = [work.path(folder)];
  const following: PrepareOptions = { ...options, following: true };
  let last: PreparedRun | undefined;
  const living = await beginLivingRun(paths, following, await describeInputs(paths, following));
  for (const arrival of arrivals.filter(({ length }) => length > 0)) {
    for (const [step, rows] of arrival) await write(folder, step, rows);
    const looked: Looked = await living.look(await describeInputs(paths, following), () => true);
    if (!("run" in looked)) throw new Error(JSON.stringify(looked));
    await last?.close();
    last = looked.run;
  }
  return { run: last!, end: () => living.end() };
}

async function readFiles(run: PreparedRun): Promise<Record<string, Buffer>> {
  const names = [...Object.values(ANSWER_FILES), DIGITS_FILE, OFFSETS_FILE, VOCABULARY_FILE];
  const read = await Promise.all(
    [...names, ...Object.values(PASS_FILES)].map(async (name) => {
      return [name, await readFile(join(run.directory, name)).catch(() => Buffer.alloc(0))] as const;
    }),
  );
  return Object.fromEntries(read);
}

async function json<T>(run: PreparedRun, name: "steps" | "tokens"): Promise<T> {
  return JSON.parse(Buffer.from(await run.answer(name)).toString()) as T;
}

/** Sums depend on the order of their terms, in the last digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each: unknown) =>
      typeof each === "number" ? Number(each.toPrecision(9)) : each,
    ),
  );
}

/** |Δ| of the furthest tokens: among equal ones the first that came is kept. */
function distances({ occurrences, turns }: TopTokens): unknown {
  return [
    occurrences.map(({ delta }) => Math.abs(delta)),
    turns.by_mean.map((turn) => turn.delta_abs_mean),
    turns.by_max.map((turn) => turn.delta_abs_max),
  ];
}

/** Groups by their labels, without the places of rows, which are those of their arrival. */
function placeless({ by_token, by_class, by_position, by_turn }: TopTokens): unknown {
  return [by_token, by_class, by_position, by_turn].map((groups) =>
    groups.map(({ worst: _, ...group }) => group).toSorted((a, b) => (a.label < b.label ? -1 : 1)),
  );
}

/** Rows of steps, which answers have in the order of the table. */
function byStep({ steps, tokens, sequences, counts, figures }: CorrectSteps): unknown {
  return steps
    .map((step, at) => ({
      step,
      tokens: tokens[at],
      sequences: sequences[at],
      figures: Object.entries({ ...counts, ...figures }).map(([name, values]) => [name, values[at]]),
    }))
    .toSorted((a, b) => (a.step ?? 0) - (b.step ?? 0));
}

const QUESTION = readQuestion({ correction: "weight:token truncate:..1.2" });

describe("a run read part by part", () => {
  it("is the run read at once, byte for byte, when steps come in their order", async () => {
    const splits = fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(splits, async (parts) => {
        const folder = `run${made++}`;
        let step = 0;
        const arrivals = parts.map((sizes) => sizes.map((rows) => [++step, rows] as const));
        const options = { tokenizer: DEMO_TOKENIZER };
        const { run, end } = await grown(folder, arrivals, options);
        const own = work.path(`${folder}-cache`);
        const whole = await prepareRun([work.path(folder)], { ...options, following: true, cache: own });
        expect({ ...run.info, growing: undefined }).toEqual(whole.info);
        const [parted, once] = [await readFiles(run), await readFiles(whole)];
        for (const name of Object.keys(once)) expect(parted[name]!.equals(once[name]!), name).toBe(true);
        expect(await run.correct(QUESTION)).toEqual(await whole.correct(QUESTION));
        await end();
        // What is left is a cache like any other.
        const again = await prepareRun([work.path(folder)], options);
        expect([again.reused, again.directory]).toEqual([true, run.directory]);
        expect(await again.sequence(0)).toEqual(await whole.sequence(0));
        for (const one of [run, whole, again]) await one.close();
      }),
      { numRuns: sized(2, 8) },
    );
  });

  it("has the same figures in any order of arrival, under a version that no plain read takes for its own", async () => {
    const order = fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 2 });
    await fc.assert(
      fc.asyncProperty(order, async (steps) => {
        const folder = `run${made++}`;
        const sizes = steps.map((step) => [step, (step % 3) + 1] as const);
        const { run, end } = await grown(folder, [sizes.slice(0, 1), sizes.slice(1, 3), sizes.slice(3)], {});
        await end();
        const whole = await prepareRun([work.path(folder)]);
        const report = async (of: PreparedRun): Promise<MismatchReport> =>
          JSON.parse(Buffer.from(await of.answer("report")).toString()) as MismatchReport;
        const [parted, once] = [await report(run), await report(whole)];
        for (const [name, value] of Object.entries(once.metrics)) {
          const got = parted.metrics[name as keyof typeof parted.metrics];
          if (typeof value === "number") expect(got, name).toBeCloseTo(value, 10);
        }
        expect(parted.sources).toEqual(once.sources);
        expect(parted.worst_tokens).toEqual(once.worst_tokens);
        const [series, wholeSeries] = [
          await json<StepSeries>(run, "steps"),
          await json<StepSeries>(whole, "steps"),
        ];
        expect(rounded(series)).toEqual(rounded(wholeSeries));
        const [top, wholeTop] = [
          await json<TopTokens>(run, "tokens"),
          await json<TopTokens>(whole, "tokens"),
        ];
        expect(distances(top)).toEqual(distances(wholeTop));
        expect(rounded(placeless(top))).toEqual(rounded(placeless(wholeTop)));
        const [exact, wholeExact] = [await run.correct(QUESTION), await whole.correct(QUESTION)];
        expect(rounded(byStep(exact.steps))).toEqual(rounded(byStep(wholeExact.steps)));
        expect(rounded({ ...exact.answer, command: "" })).toEqual(
          rounded({ ...wholeExact.answer, command: "" }),
        );
        const rows = async (of: PreparedRun): Promise<string[]> => {
          const { columns, length } = decodeTable(await of.answer("sequences"));
          return Array.from({ length }, (_, at) =>
            JSON.stringify([columns.step[at], columns.row[at], columns.delta_sum[at], columns.k3_mean[at]]),
          );
        };
        const arrived = [
          ...sizes.slice(0, 1),
          ...[...sizes.slice(1, 3)].sort(),
          ...[...sizes.slice(3)].sort(),
        ];
        const inOrder = arrived.every(([step], at) => at === 0 || step > arrived[at - 1]![0]);
        expect(whole.reused).toBe(inOrder);
        expect(run.info.version === whole.info.version).toBe(inOrder);
        expect((await rows(run)).toSorted()).toEqual((await rows(whole)).toSorted());
        expect((await rows(run)).map((row) => (JSON.parse(row) as number[])[0])).toEqual(
          arrived.flatMap(([step, count]) => new Array<number>(count).fill(step)),
        );
        for (const one of [run, whole]) await one.close();
      }),
      { numRuns: sized(3, 8) },
    );
  });
});

describe("what a living run says", () => {
  const rests = (): boolean => true;

  async function begin(options: PrepareOptions = {}) {
    const paths = [work.path("run")];
    const following: PrepareOptions = { ...options, following: true };
    const living = await beginLivingRun(paths, following, await describeInputs(paths, following));
    const look = async (settled: (path: string) => boolean = rests): Promise<Looked> =>
      living.look(await describeInputs(paths, following), settled);
    return { living, look };
  }

  function takeRun(looked: Looked): PreparedRun {
    if (!("run" in looked)) throw new Error(JSON.stringify(looked));
    return looked.run;
  }

  it("reads every byte once, and older states stay as they are", async () => {
    await write("run", 1, 3);
    const read: string[] = [];
    const { living, look } = await begin({
      read: {},
      flags: [],
      onProgress: ({ file, bytesRead, bytesTotal }) => {
        if (bytesRead === bytesTotal && read.at(-1) !== file) read.push(file);
      },
    });
    const first = takeRun(await look());
    const before = await first.sequence(2);
    for (const step of [2, 3, 4]) {
      await write("run", step, 2);
      const next = takeRun(await look());
      expect(next.info.sequences).toBe(3 + 2 * (step - 1));
      await next.close();
    }
    expect(read).toEqual([1, 2, 3, 4].map((step) => work.path(`run/step_${step}.jsonl`)));
    expect(await first.sequence(2)).toEqual(before);
    expect(await first.sequence(3)).toBeUndefined();
    await first.close();
    expect(await look()).toEqual({ unchanged: true });
    await living.end();
  });

  it("puts off what is being written, and names it", async () => {
    await write("run", 1, 2);
    const { living, look } = await begin();
    await takeRun(await look()).close();
    const npz = work.path("run/step_0010.npz");
    await copyFile(join(DEMO, "step_0010.npz"), npz);
    const moving = takeRun(await look((path) => path !== npz));
    expect([moving.complete, moving.info.writing, moving.info.steps]).toEqual([false, [npz], [1]]);
    expect(moving.info.findings.at(-1)).toMatchObject({ severity: "info", at: { file: npz } });
    expect(moving.info.version).toMatch(/-unfinished$/);
    // A container that rests is read at once; lines only when nobody has added any for a while.
    const lines = await work.run("run/step_20.jsonl", [{ step: 20 }]);
    const half = takeRun(await look());
    expect([half.info.steps, half.info.writing]).toEqual([[1, 10], [lines]]);
    await utimes(lines, PAST, PAST);
    const all = takeRun(await look());
    expect([all.info.steps, all.info.writing, all.complete]).toEqual([[1, 10, 20], undefined, true]);
    for (const run of [moving, half, all]) await run.close();
    await living.end();
  });

  it("is broken when a file that was read changes or goes", async () => {
    await write("run", 1, 2);
    await write("run", 2, 2);
    const { living, look } = await begin();
    await takeRun(await look()).close();
    await write("run", 2, 3);
    expect(await look()).toEqual({
      broken: expect.stringMatching(/step_2.jsonl, which was read before, has changed/),
    });
    await rm(work.path("run/step_2.jsonl"));
    expect(await look()).toEqual({
      broken: expect.stringMatching(/step_2.jsonl, which was read before, is gone$/),
    });
    await living.end();
  });

  it("shares the files that grow with its caches instead of writing them again", async () => {
    await write("run", 1, 2);
    const { living, look } = await begin();
    const first = takeRun(await look());
    const node = await stat(join(first.directory, PASS_FILES.sequences));
    await first.close();
    await write("run", 2, 2);
    const second = takeRun(await look());
    expect((await stat(join(second.directory, PASS_FILES.sequences))).ino).toBe(node.ino);
    await second.close();
    await living.end();
  });

  it("hides texts as a run read at once does", async () => {
    await write("run", 1, 1);
    const { living, look } = await begin({ tokenizer: DEMO_TOKENIZER, redact: "text" });
    await takeRun(await look()).close();
    await write("run", 2, 1);
    const run = takeRun(await look());
    expect([run.info.redacted, run.info.has.texts]).toEqual([true, false]);
    expect(Buffer.from(decodeSequence((await run.sequence(1))!).texts).toString()).toBe("#1#20#42#41#50");
    await run.close();
    await living.end();
  });
});
