import { RunEvidence } from "../../analyses/evidence/index.ts";
import { summarizeBatches } from "../../analyses/parallel/index.ts";
import {
  KERNEL_REVISION,
  layoutOf,
  MismatchSummary,
  optionalPart,
  part,
  Sums,
} from "../../core/summaries/index.ts";
import type { ShardSums } from "../part.ts";
import type { RunKind } from "./kind.ts";

/** Everything from shards that the answer about a run needs. */
export class ReportSums extends Sums implements ShardSums {
  static readonly layout = layoutOf<ReportSums>({
    evidence: part(RunEvidence.layout, ({ evidence }) => evidence),
    prompts: optionalPart(
      MismatchSummary.layout,
      ({ prompts }) => prompts,
      (sums) => sums.#openPrompts(),
    ),
  });
  readonly evidence: RunEvidence;
  /** Sums over prompts that both sides of a pair have scored. */
  prompts: MismatchSummary | undefined;

  constructor(evidence = new RunEvidence(), prompts?: MismatchSummary) {
    super();
    this.evidence = evidence;
    this.prompts = prompts;
  }

  get sequences(): number {
    const { sequences } = this.evidence.summary.total;
    return sequences.count + sequences.empty;
  }

  get tokens(): number {
    return this.evidence.summary.total.sums[0]!;
  }

  get sequencesByFile(): ReadonlyMap<string, number> {
    return this.evidence.summary.sequencesByFile;
  }

  #openPrompts(): MismatchSummary {
    this.prompts ??= new MismatchSummary();
    return this.prompts;
  }
}

export const REPORT_PARTS: RunKind = {
  // Version 2 added the doctor's sample, version 3 the weights that both sides state and
  // their own errors, version 4 the sampling and precision that a record states.
  version: 4 + KERNEL_REVISION,
  reads: {},
  flags: [],
  makeSums: () => new ReportSums(),
  prepare({ threads }) {
    const options = threads === undefined ? {} : { threads };
    return async (batches, run) =>
      new ReportSums(await summarizeBatches(batches, options), run.promptSummary());
  },
};

/** Like those of a report, but columns of probabilities are read too: the doctor names them as a fault. */
export const DOCTOR_PARTS: RunKind = { ...REPORT_PARTS, reads: { allowPositive: true } };
