/**
 * miles' config keys: slime's, but for where its functions are.
 *
 * @module
 */
import type { Dialect, LintRule } from "../shared/dialect.ts";
import { isAfter } from "../shared/release.ts";
import { slimeDialectFor } from "../slime/config-keys.ts";

/** The last release on PyPI, whose functions are in one module. */
const LAST_RELEASE = { version: "0.0.2", date: "2026-05-28" };
const BEFORE = "miles.backends.training_utils.loss";
const SINCE = "miles.backends.training_utils.loss_hub.corrections";

/** `--custom-tis-function-path` with a path of another state of miles, where importing it fails. */
const moved: LintRule = ({ get, at, given }) => {
  const entry = get("custom_tis_function_path");
  const [, module, name] =
    /^(miles\..+)\.(icepop_function|vanilla_tis_function)$/.exec(entry?.text ?? "") ?? [];
  const here = given !== undefined && isAfter(given, LAST_RELEASE) === false ? BEFORE : SINCE;
  if (module === undefined || module === here) return [];
  return [
    {
      // miles from PyPI has the earlier path, and an unknown release may be that one.
      severity: given === undefined && module === BEFORE ? "warning" : "error",
      code: "refused",
      ...at(entry),
      message:
        given === undefined && module === BEFORE
          ? `only miles up to ${LAST_RELEASE.version} has ${module}.${name}`
          : `miles stops: it has no ${module}.${name}`,
      why: `it is in ${BEFORE} up to ${LAST_RELEASE.version}, the newest release on PyPI, and in ${SINCE} of the repository since`,
      source: "miles/utils/misc.py load_function",
      instead: `--custom-tis-function-path ${here}.${name}`,
    },
  ];
};

const slime = slimeDialectFor("miles", [/\bmiles\b/i, /--use-miles-(router|dashboard)/]);

export const milesDialect: Dialect = { ...slime, rules: [...slime.rules, moved] };
