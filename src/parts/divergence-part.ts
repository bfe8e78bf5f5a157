/**
 * From a part to the steps that one process would have logged.
 *
 * @module
 */

import { createFinisher, type IterationResult, type RunLogOptions } from "../analyses/divergence/index.ts";
import type { FindingLog } from "../core/schema/index.ts";
import type { SourceSummary } from "../results/report.ts";
import type { DivergenceSums } from "./kinds/index.ts";
import type { Part } from "./part.ts";
import { collectFindings, listSources, nameRun } from "./part-findings.ts";

/** A run's steps on their way into the log. */
export interface DivergencePart {
  readonly run: string;
  /** Findings of reading and merging, to which more can be added. */
  readonly findings: FindingLog;
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
  /** How the log is made: as requested, from the tokens that the part has. */
  readonly logOptions: RunLogOptions;
  /** Sequences of steps that `every` left out. */
  readonly leftOut: number;
  /** In the order of a single process. */
  readonly steps: Iterable<IterationResult>;
}

/**
 * @param options how records are made; which tokens there are was decided when the part was made
 * @throws UsageError when an option makes no sense
 */
export function logPart({ info, sums }: Part<DivergenceSums>, options: RunLogOptions = {}): DivergencePart {
  const { kept } = sums;
  const logOptions: RunLogOptions = {
    ...options,
    ...(kept && { divergenceTopK: kept.topK, contextWindow: kept.contextWindow, every: kept.every }),
  };
  const finish = createFinisher(logOptions);
  const shards = info.shards.map(({ name }) => name);
  return {
    run: nameRun(info),
    findings: collectFindings(info),
    sources: listSources(info),
    logOptions,
    leftOut: sums.leftOut,
    steps: {
      *[Symbol.iterator]() {
        for (const segment of sums.steps(shards)) yield finish(segment);
      },
    },
  };
}
