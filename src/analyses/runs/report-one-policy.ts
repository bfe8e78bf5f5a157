import { EmptyInputError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { PolicyReport } from "../../results/policy.ts";
import { buildPolicyReport } from "../policy/build-report.ts";
import { PolicyRun } from "../policy/policy-run.ts";
import { sourceSummaries } from "./read-batches.ts";
import type { OpenRunReport } from "./report-run.ts";

/**
 * The report on an open run with only one policy's log-probs.
 *
 * @throws EmptyInputError if no token is left
 */
export async function reportOnePolicy(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  { has, error, what }: NonNullable<Run["onePolicy"]>,
  { paths, flags }: Pick<OpenRunReport, "paths" | "flags">,
): Promise<PolicyReport> {
  const policy = new PolicyRun(has);
  for await (const batch of batches) policy.add(batch);
  const result = policy.result();
  if (result.metrics.tokens === 0) {
    throw new EmptyInputError(
      `none of ${plural(result.metrics.sequences, "sequence")} has a token with mask 1 and a finite ${has} log-prob`,
      { hint: "run with --explain to see how each column was read; --mask COLUMN names another mask" },
    );
  }
  return buildPolicyReport({
    run: run.name,
    result,
    error,
    what,
    paths,
    flags,
    findings: run.findings.list(),
    sources: sourceSummaries(run),
  });
}
