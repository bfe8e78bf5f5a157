/**
 * One sequence of a run by its handle, while the run is read.
 *
 * @module
 */

import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import { formatHandle, type Handle, type RecordBatch } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";
import { sequenceHandle } from "./handle.ts";
import { type TokenPlace, worstToken } from "./worst-token.ts";

/** A row of a batch. */
export interface FoundSequence {
  readonly batch: RecordBatch;
  readonly row: number;
  readonly handle: string;
}

/** How many handles a message names. */
const NAMED = 6;

/** The rows that exist for one step and rank. */
interface Rows {
  readonly step: number;
  readonly rank: number;
  from: number;
  to: number;
  count: number;
}

/** Looks for the sequence that a handle names in successive batches. */
export class SequenceFinder {
  readonly #wanted: Handle;
  readonly #found: FoundSequence[] = [];
  readonly #rows = new Map<string, Rows>();
  #matches = 0;

  constructor(wanted: Handle) {
    this.#wanted = wanted;
  }

  add(batch: RecordBatch): void {
    for (let row = 0; row < batch.length; row++) {
      const [step, rank, sequence] = [batch.steps[row]!, batch.ranks[row]!, batch.rows[row]!];
      const { step: wantedStep = step, rank: wantedRank = rank } = this.#wanted;
      this.#note(step, rank, sequence);
      if (sequence !== this.#wanted.sequence) continue;
      if (!Object.is(step, wantedStep) || !Object.is(rank, wantedRank)) continue;
      this.#matches++;
      if (this.#found.length <= NAMED) this.#found.push({ batch, row, handle: handleAt(batch, row) });
    }
  }

  /** Whether the sequence's own handle equals the requested one, not just a longer form of it. */
  get isExact(): boolean {
    return this.#found.some(({ handle }) => handle === sequenceHandle(this.#wanted));
  }

  get hasFound(): boolean {
    return this.#found.length > 0;
  }

  /**
   * @param stepsSeen every known step of the run, whether it was read or not
   * @throws UsageError if there are several, or none
   */
  result(stepsSeen: ReadonlySet<number>): FoundSequence {
    const [first] = this.#found;
    if (first === undefined) throw this.#notFound(stepsSeen);
    if (this.#matches > 1) throw this.#ambiguous();
    return first;
  }

  #note(step: number, rank: number, sequence: number): void {
    const key = `${step} ${rank}`;
    const rows = this.#rows.get(key);
    if (rows === undefined) {
      this.#rows.set(key, { step, rank, from: sequence, to: sequence, count: 1 });
      return;
    }
    rows.from = Math.min(rows.from, sequence);
    rows.to = Math.max(rows.to, sequence);
    rows.count++;
  }

  #ambiguous(): UsageError {
    const asked = sequenceHandle(this.#wanted);
    const handles = [...new Set(this.#found.map(({ handle }) => handle))];
    if (handles.length === 1) {
      const files = [...new Set(this.#found.map(({ batch }) => batch.provenance.file))].slice(0, NAMED);
      return new UsageError(`${asked} is the handle of ${formatCount(this.#matches)} sequences`, {
        likely: "the paths contain several runs, or a file twice",
        hint: `give one of the files: ${files.join(", ")}`,
      });
    }
    const named = handles.slice(0, NAMED).join(", ");
    const more = this.#matches > NAMED ? ` and ${formatCount(this.#matches - NAMED)} more` : "";
    return new UsageError(`${asked} names ${formatCount(this.#matches)} sequences`, {
      hint: `say which: ${named}${more}`,
    });
  }

  #notFound(stepsSeen: ReadonlySet<number>): UsageError | EmptyInputError {
    const asked = sequenceHandle(this.#wanted);
    const { step, sequence } = this.#wanted;
    const all = [...this.#rows.values()];
    if (all.length === 0 && (step === undefined || stepsSeen.size === 0))
      return new EmptyInputError("the input has no sequences");
    const hints: string[] = [];
    const ofStep = all.filter((rows) => step === undefined || rows.step === step);
    if (ofStep.length === 0) {
      const steps = [...stepsSeen].filter((seen) => seen !== step).sort((a, b) => a - b);
      if (steps.length === 0) hints.push("the run's steps are unknown: leave out the step");
      else hints.push(`the nearest steps are ${listed(nearest(steps, step!))} (${span(steps)})`);
    } else {
      const near = nearest(ofStep, sequence, ({ from, to }) => Math.min(Math.max(sequence, from), to));
      for (const { step: s, rank: r, from, to, count: n } of near) {
        const [low, high] = [from, to].map((q) => formatHandle({ step: s, rank: r, sequence: q }));
        hints.push(
          n === 1 ? `there is ${low}` : `there are ${formatCount(n)} sequences from ${low} to ${high}`,
        );
      }
      if (ofStep.length > near.length)
        hints.push(`and sequences of ${formatCount(ofStep.length - near.length)} other steps and ranks`);
    }
    return new UsageError(`there is no sequence ${asked}`, { hint: hints });
  }
}

/** Looks for the token with the largest |Δ| of a run. */
export class WorstFinder {
  #worst: (FoundSequence & TokenPlace) | undefined;

  add(batch: RecordBatch): void {
    for (let row = 0; row < batch.length; row++) {
      const worst = worstToken(batch, row);
      const before = this.#worst;
      if (worst === undefined || worst.size < (before?.size ?? 0)) continue;
      const found = { batch, row, handle: handleAt(batch, row), ...worst };
      // Ties are broken as in the report's list of worst tokens.
      if (before === undefined || worst.size > before.size || tieKey(found) < tieKey(before))
        this.#worst = found;
    }
  }

  /** @throws EmptyInputError if no token has a finite Δ */
  result(): FoundSequence & TokenPlace {
    if (this.#worst === undefined)
      throw new EmptyInputError(
        "nothing to compare: no token with mask 1 has a finite log-prob on both sides",
      );
    return this.#worst;
  }
}

function tieKey({ batch, handle, token }: FoundSequence & TokenPlace): string {
  return `${batch.provenance.file} ${handle}.t${token}`;
}

export function handleAt(batch: RecordBatch, row: number): string {
  return formatHandle({ step: batch.steps[row]!, rank: batch.ranks[row]!, sequence: batch.rows[row]! });
}

function nearest<T>(items: readonly T[], to: number, placeOf: (item: T) => number = Number): T[] {
  return [...items].sort((a, b) => Math.abs(placeOf(a) - to) - Math.abs(placeOf(b) - to)).slice(0, NAMED / 2);
}

function listed(numbers: readonly number[]): string {
  return [...numbers].sort((a, b) => a - b).join(", ");
}

function span(numbers: readonly number[]): string {
  return `${formatCount(numbers.length)} in all, ${numbers[0]} to ${numbers.at(-1)}`;
}
