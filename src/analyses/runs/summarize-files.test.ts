import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sample } from "../../../test/support/run-size.ts";
import { isLogratioError } from "../../core/base/errors.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import type { Run } from "../../ingest/open-run.ts";
import type { Progress } from "../../ingest/progress.ts";
import { type Compiled, compile } from "../parallel/compile.test-data.ts";
import type { ApartOptions } from "./choose-files.ts";
import type * as Filters from "./filter-option.ts";
import type * as Inputs from "./input-options.ts";
import type * as Batches from "./read-batches.ts";
import type * as Reports from "./report-run.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** The library as threads can load it. */
interface Library {
  openRun(paths: readonly string[], options: object): Promise<Run>;
  describeChecks: (checks: Run["sources"][number]["checks"][]) => readonly string[];
  compileFilter: typeof Filters.compileFilter;
  parseRunInput: typeof Inputs.parseRunInput;
  readBatches: typeof Batches.readBatches;
  reportOpenRun: typeof Reports.reportOpenRun;
}

let compiled: Compiled;
let library: Library;
let folder = "";

beforeAll(async () => {
  compiled = await compile(["core", "results", "input", "trainers", "ingest", "analyses"]);
  const parts = await Promise.all(
    [
      "ingest/index",
      "analyses/runs/filter-option",
      "analyses/runs/input-options",
      "analyses/runs/read-batches",
      "analyses/runs/report-run",
    ].map((module) => compiled.load<object>(module)),
  );
  library = Object.assign({}, ...parts) as Library;
  folder = await mkdtemp(join(tmpdir(), "logratio-files-"));
});
afterAll(async () => {
  compiled.remove();
  await rm(folder, { recursive: true });
});

type Asked = ApartOptions["input"];
interface Reading extends Partial<ApartOptions> {
  readonly threads: number;
  readonly asked?: Asked;
}

/** All that a user sees of a run: the report or the error, what each file was read as, and how many were skipped. */
async function tell(paths: readonly string[], { threads, asked = {}, ...apart }: Reading): Promise<unknown> {
  const filter = await library.compileFilter(asked);
  let run: Run | undefined;
  const explain = (): unknown =>
    run?.sources.map(({ file, checks }) => ({ file, checks, told: library.describeChecks([checks]) }));
  try {
    run = await library.openRun(paths, library.parseRunInput(asked));
    const report = await library.reportOpenRun(run, library.readBatches(run, { filter, ...apart }), {
      paths: ["given"],
      flags: [],
      parity: [],
      threads,
      apart: { input: asked, filter, smallBytes: 0, ...apart },
    });
    // As it is printed: a figure that differs in its last bit is another text.
    return { report: JSON.stringify(report, undefined, 1), skipped: run.skipped, explained: explain() };
  } catch (error) {
    if (!isLogratioErrorOf(error)) throw error;
    const { _tag, message, at, likely, hint } = error;
    return { _tag, message, at, likely, hint, explained: explain() };
  }
}

/** The compiled library has classes of its own. */
function isLogratioErrorOf(
  error: unknown,
): error is Error & Record<"_tag" | "at" | "likely" | "hint", unknown> {
  return isLogratioError(error) || (error instanceof Error && "_tag" in error);
}

/** Files as runs have them, sound and damaged, by a seed. */
async function drawRun(seed: number): Promise<string> {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const target = join(folder, `run-${seed}`);
  await mkdir(target);
  // A viewer may have left its cache beside them.
  const demo = (await readdir(join(EXAMPLES, "demo/stale"))).filter((name) => name.endsWith(".npz")).sort();
  for (const name of demo.slice(0, 3 + pick(4))) {
    const from = join(EXAMPLES, "demo/stale", name);
    const damage = pick(6);
    if (damage > 1) await copyFile(from, join(target, name));
    else await writeFile(join(target, name), damageBytes(await readFile(from), damage === 0, random()));
  }
  for (let step = 200; step < 204 + pick(8); step++)
    await writeFile(join(target, `step_${step}.jsonl`), drawRows(step, random));
  return target;
}

function damageBytes(bytes: Buffer, isCut: boolean, where: number): Buffer {
  const at = Math.floor(bytes.length * (0.1 + 0.8 * where));
  if (isCut) return bytes.subarray(0, at);
  for (let i = at; i < at + 64; i++) bytes[i]! ^= 0x55;
  return bytes;
}

/** Rows of a step: some are shifted, some hold placeholders, some cannot be read. */
function drawRows(step: number, random: () => number): string {
  const shift = random() < 0.3 ? 1 : 0;
  const isMasked = random() > 0.1;
  const lines: string[] = [];
  for (let row = 0; row < 2 + 12 * random(); row++) {
    const length = Math.floor(5 + 90 * random());
    const rollout = Array.from({ length }, () => (random() < 0.3 ? Math.log(random()) : -1e-4 * random()));
    const trainer = rollout.map((_, t) =>
      Math.min(0, rollout[(t + shift) % length]! * (0.9 + 0.2 * random())),
    );
    const odd = random();
    if (odd < 0.1) rollout[0] = -9999;
    else if (odd < 0.15) rollout[0] = 1;
    else if (odd < 0.2) trainer.pop();
    lines.push(
      odd > 0.97
        ? '{"rollout_log_probs": [-1'
        : JSON.stringify({
            step,
            prompt_token_ids: [row % 3, step],
            response_token_ids: rollout.map(() => Math.floor(500 * random())),
            rollout_log_probs: rollout,
            old_log_probs: trainer,
            response_mask: rollout.map(() => (isMasked && random() > 0.05 ? 1 : 0)),
            reward: Math.round(random()),
          }),
    );
  }
  return lines.map((line) => `${line}\n`).join("");
}

const ASKED: readonly Asked[] = [
  {},
  { filter: "abs>0.01 turn:0" },
  { filter: "abs>1e9" },
  { steps: "10..30,200..202" },
  { align: "auto" },
  { align: "none" },
  { align: 1, batchTokens: 300 },
];

describe("files read by several threads", () => {
  it("come to the report of one thread, bit for bit, with the same findings in the same order", async () => {
    for (const seed of sample([1, 2], 2)) {
      const path = await drawRun(seed);
      for (const [i, asked] of sample([...ASKED.entries()], 3)) {
        const threads = [2, 3, 7][(i + seed) % 3]!;
        const onRead = vi.fn();
        const apart = await tell([path], { threads, asked, onRead });
        // It was read by several threads, and not one after the other as well.
        expect(onRead).toHaveBeenCalledOnce();
        expect(apart, `run ${seed}, ${threads} threads, ${JSON.stringify(asked)}`).toEqual(
          await tell([path], { threads: 1, asked }),
        );
      }
    }
  }, 300_000);

  it("may be given in any order", async () => {
    const path = await drawRun(11);
    const paths = (await readdir(path)).map((name) => join(path, name));
    const alone = await tell(paths, { threads: 1 });
    const random = seededRandom(5);
    for (let time = 0; time < 2; time++) {
      const shuffled = paths.map((file) => [random(), file] as const).sort(([a], [b]) => a - b);
      expect(
        await tell(
          shuffled.map(([, file]) => file),
          { threads: 3 },
        ),
      ).toEqual(alone);
    }
  }, 120_000);

  it("fail with the first error where none can be read, and skip those that cannot", async () => {
    const path = join(folder, "damaged");
    await mkdir(path);
    for (let step = 1; step < 6; step++)
      await writeFile(
        join(path, `step_${step}.jsonl`),
        `{"rollout_log_probs": [-1], "old_log_probs": [${step}`,
      );
    const alone = await tell([path], { threads: 1 });
    expect(alone).toHaveProperty("_tag");
    expect(await tell([path], { threads: 3 })).toEqual(alone);
    await writeFile(join(path, "step_3.jsonl"), drawRows(3, seededRandom(3)));
    await writeFile(join(path, "step_4.jsonl"), drawRows(4, seededRandom(4)));
    const mixed = await tell([path], { threads: 1 });
    expect(mixed).toMatchObject({ skipped: 3 });
    expect(await tell([path], { threads: 3 })).toEqual(mixed);
  });

  it("end when they are stopped, and keep what was read", async () => {
    const path = await drawRun(21);
    let looks = 0;
    const asked = { batchTokens: 200 };
    const stopped = await tell([path], { threads: 2, asked, isStopped: () => ++looks > 3 });
    const all = (await tell([path], { threads: 1, asked })) as { report: string };
    const count = (told: unknown): number =>
      (JSON.parse((told as { report: string }).report) as { metrics: { sequences: number } }).metrics
        .sequences;
    expect(count(stopped)).toBeGreaterThan(0);
    expect(count(stopped)).toBeLessThan(count(all));
    const reason = new Error("enough");
    const aborted = tell([path], {
      threads: 2,
      asked,
      isStopped: () => {
        throw reason;
      },
    });
    await expect(aborted).rejects.toBe(reason);
  });

  it("tell how far they are, up to all bytes and sequences, and when all is read", async () => {
    const path = await drawRun(31);
    const told: Progress[] = [];
    let isRead = false;
    const { report } = (await tell([path], {
      threads: 2,
      onProgress: (progress) => told.push(progress),
      onRead: () => {
        isRead = true;
      },
    })) as { report: string };
    const { sequences } = (JSON.parse(report) as { metrics: { sequences: number } }).metrics;
    const last = told.at(-1)!;
    expect(last.bytesRead).toBe(last.bytesTotal);
    expect(last.sequences).toBe(sequences);
    expect(told.every(({ bytesRead, bytesTotal }) => bytesRead <= bytesTotal)).toBe(true);
    expect(last.file).toContain(path);
    expect(isRead).toBe(true);
  });
});
