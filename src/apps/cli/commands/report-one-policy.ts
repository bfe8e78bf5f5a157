import { readBatches } from "../../../analyses/runs/read-batches.ts";
import { reportOnePolicy } from "../../../analyses/runs/report-one-policy.ts";
import { MissingSideError, putBefore } from "../../../core/base/index.ts";
import type { Run } from "../../../ingest/index.ts";
import {
  renderPolicyHtml,
  renderPolicyMarkdown,
  renderPolicyTerminal,
} from "../../../render/policy/index.ts";
import type { PolicyReport } from "../../../results/policy.ts";
import type { ExitStatus } from "../exit-status.ts";
import { conclude, inputFlags, type Listening } from "../read-run.ts";
import { FORM_FLAGS, type Forms, type Job, print } from "./print-report.ts";

const FORMS: Forms<PolicyReport> = {
  html: renderPolicyHtml,
  markdown: renderPolicyMarkdown,
  terminal: renderPolicyTerminal,
};

/** Prints the report on a run with only one policy's log-probs. */
export async function reportOneOf(
  job: Job,
  run: Run,
  policy: NonNullable<Run["onePolicy"]>,
  reading: Listening,
  end: () => void,
): Promise<ExitStatus> {
  const { others, options, terminal, parity, filter } = job;
  if (parity.length > 0) refuseParity(policy);
  const flags = inputFlags(options, [...FORM_FLAGS, "parity"]);
  const result = await reportOnePolicy(run, readBatches(run, { filter, ...reading }), policy, {
    paths: others,
    flags,
  }).finally(end);
  await print(result, async () => FORMS, run.findings.list(), job);
  return conclude(run.findings.list(), reading.interrupted, result.metrics.sequences, terminal);
}

/** @throws MissingSideError metrics of two policies cannot be computed from one */
function refuseParity({ has, error }: NonNullable<Run["onePolicy"]>): never {
  throw new MissingSideError(`--parity needs both policies, but there are only ${has} log-probs`, {
    at: error.at,
    hint: [
      "leave out --parity: the report of one policy has xtuner's perplexity",
      ...(error.hint === undefined ? [] : putBefore("or ", error.hint)),
    ],
  });
}
