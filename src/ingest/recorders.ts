/**
 * Which recorder wrote which steps. Two recorders of one rank that wrote the same step are two runs in one folder, or a
 * run that was resumed from an earlier step: their figures would be pooled.
 *
 * @module
 */
import type { FindingLog, RecordBatch } from "../core/schema/index.ts";
import { formatCount, plural } from "../core/text/index.ts";

/** The steps that one recorder wrote for one rank, as plain data. */
export interface Recording {
  readonly recorder: string;
  /** Null when unknown. */
  readonly rank: number | null;
  /** Ascending, each once. */
  readonly steps: readonly number[];
}

/** Collects the recordings of one source. */
export class RecordingList {
  readonly #steps = new Map<
    string,
    { readonly recorder: string; readonly rank: number; steps: Set<number> }
  >();

  add({ recorders, steps, ranks, length }: RecordBatch): void {
    if (recorders === undefined) return;
    for (let row = 0; row < length; row++) {
      const recorder = recorders[row];
      const [step, rank] = [steps[row]!, ranks[row]!];
      if (recorder === undefined || Number.isNaN(step)) continue;
      const key = `${recorder} ${rank}`;
      const known = this.#steps.get(key);
      if (known === undefined) this.#steps.set(key, { recorder, rank, steps: new Set([step]) });
      else known.steps.add(step);
    }
  }

  list(): Recording[] {
    return [...this.#steps.values()].map(({ recorder, rank, steps }) => ({
      recorder,
      rank: Number.isNaN(rank) ? null : rank,
      steps: [...steps].sort((a, b) => a - b),
    }));
  }
}

/**
 * Adds a finding when several recorders of one rank wrote the same step.
 *
 * @param files in the order of the run
 */
export function reportRecorders(
  files: readonly { readonly file: string; readonly recordings: readonly Recording[] | undefined }[],
  findings: FindingLog,
): void {
  const writers = new Map<string, Set<string>>();
  const shared = new Map<number, Set<string>>();
  let place: string | undefined;
  for (const { file, recordings = [] } of files) {
    for (const { recorder, rank, steps } of recordings) {
      for (const step of steps) {
        const key = `${rank} ${step}`;
        const known = writers.get(key) ?? new Set<string>();
        writers.set(key, known.add(recorder));
        if (known.size < 2) continue;
        shared.set(step, new Set([...(shared.get(step) ?? []), ...known]));
        place ??= file;
      }
    }
  }
  if (place === undefined) return;
  const most = Math.max(...[...writers.values()].map(({ size }) => size));
  const names = [...new Set([...shared.values()].flatMap((names) => [...names]))];
  const steps = [...shared.keys()].sort((a, b) => a - b);
  findings.add({
    code: "duplicate",
    severity: "warning",
    subject: "recorders",
    count: steps.length,
    at: { file: place },
    likely: "a second run was recorded into the same folder, or a run was resumed from an earlier step",
    hint: `keep one of them: give only its files, or --filter recorder:${shorten(names.at(-1)!)}`,
    describe: (count) =>
      `${count === 1 ? "step" : "steps"} ${listSteps(steps)} ${count === 1 ? "was" : "were"} recorded ${most === 2 ? "twice" : `${most} times`}, by ${plural(names.length, "recorder")} of the same rank (${listNames(names)}): all of them are read`,
  });
}

/** The number of digits that tell one recorder from others. */
const SHORT = 8;
const FEW = 4;

function shorten(recorder: string): string {
  return recorder.slice(0, SHORT);
}

function listNames(names: readonly string[]): string {
  const few = names.slice(0, FEW).map(shorten).join(", ");
  return names.length > FEW ? `${few} and ${formatCount(names.length - FEW)} more` : few;
}

/** `0–19, 40`: runs of consecutive recorded steps. */
function listSteps(steps: readonly number[]): string {
  const spans: [first: number, last: number][] = [];
  for (const step of steps) {
    const last = spans.at(-1);
    if (last !== undefined && step === last[1] + 1) last[1] = step;
    else spans.push([step, step]);
  }
  const few = spans.slice(0, FEW).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return spans.length > FEW ? `${few.join(", ")}, … to ${steps.at(-1)}` : few.join(", ");
}
