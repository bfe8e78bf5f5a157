import { METHODS } from "../registry/methods.ts";
import type { MismatchKey } from "../shared/logged-keys.ts";

/** A key under which a trainer logs a mismatch metric, with that trainer's name. */
export interface LoggedMetric extends MismatchKey {
  readonly trainer: string;
}

/** Each trainer's more specific keys come first. */
const LOGGED_METRICS: readonly LoggedMetric[] = METHODS.flatMap(({ trainer, logged = {} }) =>
  (logged.mismatch ?? []).map(({ key, ...rest }) => ({ key, trainer: logged.of ?? trainer.name, ...rest })),
);

export interface RecognisedMetric extends Omit<LoggedMetric, "key"> {
  /** The trainer's own key, without a logger's prefix. */
  readonly key: string;
}

/**
 * The metric of a logged key; undefined for anything other than a mismatch metric.
 *
 * @param name as the logger wrote it; a prefix (`train/`, a run's name) is ignored
 */
export function recogniseMetric(name: string): RecognisedMetric | undefined {
  for (const { key, ...known } of LOGGED_METRICS) {
    const match = key.exec(name);
    if (
      match !== null &&
      (match.index === 0 || name[match.index - 1] === "/" || name[match.index - 1] === ".")
    )
      return { ...known, key: name.slice(match.index) };
  }
  return undefined;
}
