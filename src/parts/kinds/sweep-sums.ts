import { RunEvidence } from "../../analyses/evidence/index.ts";
import { chooseCorrections, type NamedCorrection, Sweep } from "../../analyses/sweep/index.ts";
import { type ByteReader, type ByteWriter, SchemaError, UsageError } from "../../core/base/index.ts";
import { KERNEL_REVISION, ownWay } from "../../core/summaries/index.ts";
import { formatCorrection } from "../../trainers/neutral/index.ts";
import type { ShardSums } from "../part.ts";
import type { RunKind } from "./kind.ts";
import { ReportSums } from "./report-sums.ts";

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/**
 * Everything from shards that a sweep needs: sums of every correction, and the evidence for the answer about the run.
 * The list of corrections is stored with them.
 */
export class SweepSums implements ShardSums {
  /** The corrections come first: what follows depends on them, and nothing follows if there are none. */
  static readonly layout = ownWay<SweepSums>(
    `corrections, ${ReportSums.layout.text}, ${Sweep.layout.text} of some`,
  );
  readonly answer: ReportSums;
  #sweep: Sweep | undefined;
  /** The corrections as JSON text. */
  #corrections = "";

  constructor(corrections?: readonly NamedCorrection[], answer = new ReportSums()) {
    this.answer = answer;
    if (corrections !== undefined) this.#open(JSON.stringify(corrections));
  }

  /** Undefined if nothing was added or merged. */
  get sweep(): Sweep | undefined {
    return this.#sweep;
  }

  get sequences(): number {
    return this.#sweep?.totals.sequences ?? 0;
  }

  get tokens(): number {
    return this.#sweep?.totals.tokens ?? 0;
  }

  get sequencesByFile(): ReadonlyMap<string, number> {
    return this.#sweep?.sequencesByFile ?? new Map();
  }

  merge(other: SweepSums): void {
    this.answer.merge(other.answer);
    if (other.#sweep !== undefined) this.#open(other.#corrections).merge(other.#sweep);
  }

  encode(to: ByteWriter): void {
    to.text(this.#corrections);
    this.answer.encode(to);
    if (this.#sweep === undefined) return;
    this.#sweep.encode(to);
  }

  mergeFrom(from: ByteReader): void {
    const corrections = from.text();
    const sweep = corrections === "" ? undefined : this.#openRead(corrections, from);
    this.answer.mergeFrom(from);
    if (sweep === undefined) return;
    sweep.mergeFrom(from);
  }

  #openRead(corrections: string, from: ByteReader): Sweep {
    try {
      // If the corrections have another shape, so has their text.
      for (const { name, methods, correction } of JSON.parse(corrections) as NamedCorrection[])
        if (typeof name !== "string" || !methods.every(isText) || !isText(formatCorrection(correction)))
          return from.fail("its corrections cannot be decoded");
      return this.#open(corrections);
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof SyntaxError || error instanceof TypeError))
        throw error;
      return from.fail("its corrections cannot be decoded");
    }
  }

  /** @throws SchemaError when the existing sums are of other corrections */
  #open(corrections: string): Sweep {
    if (this.#sweep === undefined) {
      this.#sweep = new Sweep(JSON.parse(corrections) as NamedCorrection[]);
      this.#corrections = corrections;
    }
    if (this.#corrections === corrections) return this.#sweep;
    throw new SchemaError("the parts contain different corrections", {
      likely: "they come from versions of logratio with different grids",
      hint: "run logratio summarize --for sweep again for some of them",
    });
  }
}

export const SWEEP_PARTS: RunKind = {
  // Version 2 added the evidence for the answer, version 3 the weights that both sides state and
  // their own errors, version 4 the sampling and precision that a record states.
  version: 4 + KERNEL_REVISION,
  reads: {},
  flags: ["methods", "preset", "set", "setting", "correction"],
  makeSums: () => new SweepSums(),
  prepare(options) {
    const corrections = chooseCorrections(options);
    // Refuses contradictions before anything is read.
    new Sweep(corrections);
    return async (batches, run) => {
      const evidence = new RunEvidence();
      const sums = new SweepSums(corrections, new ReportSums(evidence));
      for await (const batch of batches) {
        sums.sweep!.add(batch);
        evidence.add(batch);
      }
      sums.answer.prompts = run.promptSummary();
      return sums;
    };
  },
};
