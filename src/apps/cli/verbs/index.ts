/**
 * The verbs, in the order in which `logratio --help` lists them.
 *
 * @module
 */
import { analyze } from "./analyze.ts";
import { compare } from "./compare.ts";
import { conformance } from "./conformance.ts";
import { convert } from "./convert.ts";
import { correct } from "./correct.ts";
import { demo } from "./demo.ts";
import { digits } from "./digits.ts";
import { divergence } from "./divergence.ts";
import { doctor } from "./doctor.ts";
import { exportRun } from "./export.ts";
import { kl } from "./kl.ts";
import { report } from "./report.ts";
import { score } from "./score.ts";
import { show } from "./show.ts";
import { sql } from "./sql.ts";
import { sweep } from "./sweep.ts";
import type { Verb } from "./verb.ts";
import { view } from "./view.ts";

export { formatExamples, type Verb } from "./verb.ts";

export const VERBS: readonly Verb[] = [
  report,
  demo,
  view,
  show,
  doctor,
  compare,
  correct,
  convert,
  exportRun,
  sweep,
  digits,
  analyze,
  sql,
  divergence,
  score,
  kl,
  conformance,
];
