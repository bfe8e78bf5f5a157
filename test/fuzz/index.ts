/**
 * A fuzzing run: watched processes read the cases of a seed until the time is over; files that fail are kept.
 *
 * @module
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { makeCases, type Verb } from "./cases.ts";
import { type Outcome, type Task, WatchedChild } from "./watched-child.ts";

export interface FuzzOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Maximum number of cases; by default only the time ends the run. */
  readonly cases?: number;
  /** Processes at a time. */
  readonly jobs: number;
  /** Where the files that failed are kept. */
  readonly out: string;
  /** The number of the first case, to resume a stopped run. */
  readonly from?: number;
  readonly tell: (text: string) => void;
}

export interface FuzzResult {
  readonly files: number;
  readonly failures: readonly string[];
  /** How often each tag ended a reading; `read` if none did. */
  readonly tags: Readonly<Record<string, number>>;
  readonly mostSeconds: number;
  readonly mostBytes: number;
}

const GOOD = `${JSON.stringify({
  rollout_log_probs: [-1, -2, -3],
  old_log_probs: [-1.1, -2.2, -3.3],
  response_mask: [1, 1, 0],
})}\n`.repeat(40);
/** One in this many files of a run is also read together with the good one. */
const BESIDE_EVERY = 4;
const MOST_FAILURES = 25;

async function withGood<T>(use: (folder: string, good: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "logratio-fuzz-"));
  try {
    const good = join(folder, "good.jsonl");
    await writeFile(good, GOOD);
    return await use(folder, good);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function fuzz({
  seed,
  seconds,
  cases = Infinity,
  jobs,
  out,
  from = 0,
  tell,
}: FuzzOptions): Promise<FuzzResult> {
  return withGood(async (folder, good) => {
    const make = makeCases(seed);
    const until = Date.now() + 1000 * seconds;
    const failures: string[] = [];
    const tags = new Map<string, number>();
    let [next, files, mostSeconds, mostBytes] = [from, 0, 0, 0];

    const keep = async (index: number, path: string, verb: Verb, problem: string): Promise<void> => {
      await mkdir(out, { recursive: true });
      // The name includes the verb, so that a replay needs only the file.
      const kept = join(out, `${verb}-${seed}-${index}-${basename(path).replace(/^case-\d+-\d+/, "case")}`);
      await copyFile(path, kept);
      failures.push(kept);
      tell(`FAILED seed ${seed}, case ${index}: ${problem}\n  npm run fuzz -- --replay ${kept}\n`);
    };
    const work = async (job: number): Promise<void> => {
      const child = new WatchedChild(folder);
      while (next - from < cases && Date.now() < until && failures.length < MOST_FAILURES) {
        const index = next++;
        const { verb, ending, bytes } = make(index);
        const path = join(folder, `case-${job}-${index}${ending}`);
        await writeFile(path, bytes);
        const outcome = await child.read({ verb, path, good, beside: index % BESIDE_EVERY === 0 });
        files++;
        tags.set(outcome.tag ?? "read", (tags.get(outcome.tag ?? "read") ?? 0) + 1);
        mostSeconds = Math.max(mostSeconds, outcome.cpuSeconds);
        mostBytes = Math.max(mostBytes, outcome.bytes);
        if (outcome.problem !== undefined) await keep(index, path, verb, outcome.problem);
        await rm(path, { force: true });
      }
      child.close();
    };
    await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
    return { files, failures, tags: Object.fromEntries([...tags].sort()), mostSeconds, mostBytes };
  });
}

const VERBS: readonly Verb[] = ["report", "analyze", "lint", "study"];

/** Reads one file again, alone and together with the good one. */
export function replay(file: string): Promise<Outcome> {
  return withGood(async (folder, good) => {
    const verb = VERBS.find((name) => basename(file).startsWith(`${name}-`)) ?? "report";
    const path = join(folder, basename(file).replace(/^.*-case/, "case"));
    await writeFile(path, await readFile(resolve(file)));
    const child = new WatchedChild(folder);
    const task: Task = { verb, path, good, beside: true };
    return child.read(task).finally(() => child.close());
  });
}
