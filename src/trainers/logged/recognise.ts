import { METHODS } from "../registry/methods.ts";
import type { LoggedKeys, LookAlike, MismatchKey } from "../shared/logged-keys.ts";
import { OTHER_TRAINERS } from "./other-trainers.ts";

/** A key under which a trainer logs a mismatch metric, with that trainer's name. */
export interface LoggedMetric extends MismatchKey {
  readonly trainer: string;
}

const ALL: readonly { readonly trainer: string; readonly logged: LoggedKeys }[] = [
  ...METHODS.map(({ trainer, logged = {} }) => ({ trainer: logged.of ?? trainer.name, logged })),
  ...OTHER_TRAINERS.map((logged) => ({ trainer: logged.of, logged })),
];

/** Each trainer's more specific keys come first. */
const LOGGED_METRICS: readonly LoggedMetric[] = ALL.flatMap(({ trainer, logged }) =>
  (logged.mismatch ?? []).map((each) => ({ ...each, trainer })),
);

const LOOK_ALIKES: readonly LookAlike[] = ALL.flatMap(({ logged }) => logged.lookAlikes ?? []);

export interface RecognisedMetric extends Omit<LoggedMetric, "key"> {
  /** The trainer's own key, without a logger's prefix. */
  readonly key: string;
}

/** What a logger that reduces values over processes puts behind a name: SkyRL's `:mean` and `:max`, AReaL's `/avg`. */
const REDUCER = /[:/_](?:mean|avg)$|(?<=_max):max$|(?<=_min):min$/;

/**
 * The metric of a logged key; undefined for anything other than a mismatch metric.
 *
 * @param name as the logger wrote it; a prefix (`train/`, a run's name) and a reducer behind it are ignored
 */
export function recogniseMetric(name: string): RecognisedMetric | undefined {
  const bare = name.replace(REDUCER, "");
  return findMetric(name) ?? (bare === name ? undefined : findMetric(bare));
}

function findMetric(name: string): RecognisedMetric | undefined {
  for (const { key, ...known } of LOGGED_METRICS) {
    const found = findKey(name, key);
    if (found !== undefined) return { ...known, key: found };
  }
  return undefined;
}

/** What a key that looks like one of the mismatch means instead; undefined for any other key. */
export function recogniseLookAlike(name: string): string | undefined {
  return LOOK_ALIKES.find(({ key }) => findKey(name, key) !== undefined)?.meaning;
}

/** The key, if it is the whole name or stands behind a separator. */
function findKey(name: string, key: RegExp): string | undefined {
  const match = key.exec(name);
  if (match === null) return undefined;
  const before = name[match.index - 1];
  return match.index === 0 || before === "/" || before === "." ? name.slice(match.index) : undefined;
}
