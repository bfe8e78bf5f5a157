import type { ByteReader, ByteWriter } from "../../../core/base/index.ts";
import { MismatchSummary } from "../../../core/summaries/index.ts";
import { summarizeBatches } from "../../parallel/index.ts";
import { RunSummary } from "../../report/index.ts";
import type { ShardSums } from "../part.ts";
import type { RunKind } from "./kind.ts";

/** All that a report says of shards. */
export class ReportSums implements ShardSums {
  readonly summary: RunSummary;
  /** Of prompts that both sides of a pair have scored. */
  prompts: MismatchSummary | undefined;

  constructor(summary = new RunSummary(), prompts?: MismatchSummary) {
    this.summary = summary;
    this.prompts = prompts;
  }

  get sequences(): number {
    const { sequences } = this.summary.total;
    return sequences.count + sequences.empty;
  }

  get tokens(): number {
    return this.summary.total.sums[0]!;
  }

  get sequencesByFile(): ReadonlyMap<string, number> {
    return this.summary.sequencesByFile;
  }

  merge({ summary, prompts }: ReportSums): void {
    this.summary.merge(summary);
    if (prompts !== undefined) this.#openPrompts().merge(prompts);
  }

  encode(to: ByteWriter): void {
    this.summary.encode(to);
    to.whole(this.prompts === undefined ? 0 : 1);
    this.prompts?.encode(to);
  }

  mergeFrom(from: ByteReader): void {
    this.summary.mergeFrom(from);
    if (from.whole() !== 0) this.#openPrompts().mergeFrom(from);
  }

  #openPrompts(): MismatchSummary {
    this.prompts ??= new MismatchSummary();
    return this.prompts;
  }
}

export const REPORT_PARTS: RunKind = {
  version: 1,
  reads: {},
  flags: [],
  makeSums: () => new ReportSums(),
  prepare({ threads }) {
    const options = threads === undefined ? {} : { threads };
    return async (batches, run) =>
      new ReportSums(await summarizeBatches(batches, options), run.promptSummary());
  },
};
