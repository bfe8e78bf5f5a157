/**
 * The verbs, in the order in which `logratio --help` lists them.
 *
 * @module
 */
import { analyze } from "./analyze.ts";
import { compare } from "./compare.ts";
import { completions } from "./completions.ts";
import { conformance } from "./conformance.ts";
import { convert } from "./convert.ts";
import { correct } from "./correct.ts";
import { demo } from "./demo.ts";
import { digits } from "./digits.ts";
import { divergence } from "./divergence.ts";
import { doctor } from "./doctor.ts";
import { exportRun } from "./export.ts";
import { gate } from "./gate.ts";
import { kl } from "./kl.ts";
import { mcp } from "./mcp.ts";
import { merge } from "./merge.ts";
import { report } from "./report.ts";
import { score } from "./score.ts";
import { serve } from "./serve.ts";
import { show } from "./show.ts";
import { sql } from "./sql.ts";
import { summarize } from "./summarize.ts";
import { sweep } from "./sweep.ts";
import type { Verb } from "./verb.ts";
import { view } from "./view.ts";

export { formatExamples, type Verb } from "./verb.ts";

/** The verbs by job. */
export const VERB_GROUPS: readonly (readonly [job: string, verbs: readonly Verb[]])[] = [
  ["look", [report, show, view]],
  ["explain", [doctor, compare, divergence, analyze, digits]],
  ["act", [sweep, correct, gate]],
  ["while training", [serve, exportRun]],
  ["checkpoints", [score, kl]],
  ["many machines", [summarize, merge]],
];

/** Verbs that are needed once, or by few users. */
export const OTHER_VERBS: readonly Verb[] = [demo, convert, sql, mcp, completions, conformance];

export const VERBS: readonly Verb[] = [...VERB_GROUPS.flatMap(([, verbs]) => verbs), ...OTHER_VERBS];
