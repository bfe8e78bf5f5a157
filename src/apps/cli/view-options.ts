import { openTruth } from "../../analyses/runs/ground-truth.ts";
import { readCorrectionFlag } from "../../analyses/sweep/index.ts";
import { UsageError } from "../../core/base/index.ts";
import { openOutputs } from "../../ingest/outputs/index.ts";
import { isPresent } from "../../input/io/index.ts";
import { type Correction, formatCorrection } from "../../trainers/neutral/index.ts";
import type { PrepareOptions } from "../viewer/prepare/cache/options.ts";
import type { ForceOption } from "./force-option.ts";
import type { InputOptions } from "./input-options.ts";
import { parsePort } from "./parse-port.ts";
import { toReadOptions } from "./read-options.ts";
import { inputFlags } from "./read-run.ts";

export interface ViewOptions extends InputOptions, ForceOption {
  readonly tokenizer?: string;
  readonly truth?: string;
  readonly port?: string;
  readonly host?: string;
  /** False with --no-token. */
  readonly token?: boolean;
  /** False with --no-open. */
  readonly open?: boolean;
  readonly follow?: boolean;
  /** File of rules. */
  readonly alerts?: string;
  readonly embed?: boolean;
  readonly redact?: string;
  readonly cache?: string;
  readonly bundle?: string;
  /** Paths of other runs, as typed: {@link parseCompared}. */
  readonly compare?: readonly string[];
  readonly compareTokenizer?: string;
  /** The neutral form, as in `sweep` and `correct`. */
  readonly correction?: string;
}

/** All flags not about reading: commands for the same run omit them. */
export const VIEW_FLAGS = [
  "tokenizer",
  "truth",
  "port",
  "host",
  "token",
  "open",
  "follow",
  "alerts",
  "embed",
  "redact",
  "cache",
  "bundle",
  "force",
  "compare",
  "compareTokenizer",
  "correction",
  "logged",
];

/** A run to compare with. */
export interface ComparedInput {
  readonly label?: string;
  readonly paths: readonly string[];
}

/** The options of `view`, checked. */
export interface Wanted extends Omit<ViewOptions, "redact" | "port" | "compare" | "correction"> {
  readonly redact?: "text";
  readonly port?: number;
  readonly compare?: readonly ComparedInput[];
  readonly correction?: Correction;
  /** Where the run's own logger may have written metrics: all paths, including those that the run itself skips. */
  readonly logged: readonly string[];
}

/**
 * Refuses contradictory flags before anything is opened.
 *
 * @throws UsageError naming both flags
 */
export function checkViewOptions(
  paths: readonly string[],
  { port, redact, compare, correction, ...options }: ViewOptions,
): Wanted {
  const wanted: Wanted = {
    ...options,
    logged: paths,
    ...(compare !== undefined && { compare: parseCompared(compare) }),
    ...(port !== undefined && { port: parsePort(port) }),
    ...(redact !== undefined && { redact: parseRedact(redact) }),
    ...(correction !== undefined && { correction: readCorrectionFlag(correction) }),
  };
  if (options.truth !== undefined && (options.tokenizer === undefined || redact !== undefined))
    throw new UsageError("--truth needs a tokenizer, and cannot be combined with --redact", {
      hint: "add --tokenizer DIR and leave out --redact",
    });
  checkFollow(paths, options);
  checkEmbed(paths, wanted);
  checkCompare(paths, wanted);
  if (correction !== undefined && options.bundle !== undefined)
    throw new UsageError("--correction and --bundle cannot be combined: a bundle is not opened here", {
      hint: `leave out --correction, and add ${formatPlace(wanted)} to the address of the bundle's page`,
    });
  return wanted;
}

/**
 * The part of the page's address after `#`: empty for its first view. `web/src/state/url.ts` reads it.
 *
 * @returns `#/correct?v=1&correction=weight:token+truncate:..2`, or an empty text
 */
export function formatPlace({ correction }: Pick<Wanted, "correction">): string {
  if (correction === undefined) return "";
  const query = new URLSearchParams({ v: "1", correction: formatCorrection(correction) });
  return `#/correct?${String(query).replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/**
 * `NAME=PATH` is a part of the run with that name, which may have several; paths without a name form one run together.
 * An existing path of that form, `step=10/`, is a path.
 */
function parseCompared(values: readonly string[]): ComparedInput[] {
  const runs = new Map<string | undefined, string[]>();
  for (const value of values) {
    const [, label, path] = /^([\w][\w.+-]*)=(.+)$/.exec(value) ?? [];
    const isLabeled = path !== undefined && !isPresent(value);
    const key = isLabeled ? label : undefined;
    runs.set(key, [...(runs.get(key) ?? []), isLabeled ? path : value]);
  }
  return [...runs].map(([label, paths]) => ({ paths, ...(label !== undefined && { label }) }));
}

/** Paths of all runs to compare with. */
export function listComparedPaths({
  compare = [],
}: {
  readonly compare?: Wanted["compare"] | undefined;
}): string[] {
  return compare.flatMap(({ paths }) => paths);
}

function parseRedact(text: string): "text" {
  if (text === "text") return text;
  throw new UsageError(`--redact ${text}: only text can be redacted`);
}

function checkFollow(paths: readonly string[], { follow, alerts, bundle }: ViewOptions): void {
  if (!follow) {
    if (alerts === undefined) return;
    throw new UsageError("--alerts needs --follow: a finished run raises no alerts", {
      hint: "add --follow, or check a finished run with logratio gate",
    });
  }
  if (paths.includes("-")) throw new UsageError("--follow needs files: standard input is read once");
  if (bundle !== undefined)
    throw new UsageError("--follow and --bundle cannot be combined: a bundle does not change", {
      hint: "leave out --follow to write the run as it is now",
    });
}

function checkEmbed(paths: readonly string[], { embed, bundle, token, compare }: Wanted): void {
  if (!embed) return;
  if (bundle !== undefined)
    throw new UsageError("--embed and --bundle cannot be combined: a bundle is not served by logratio");
  if (token === false)
    throw new UsageError("--embed and --no-token cannot be combined: any site could frame the page");
  if ([...paths, ...listComparedPaths({ compare })].includes("-"))
    throw new UsageError(
      "--embed exits when standard input ends, so the run cannot come from standard input",
    );
}

function checkCompare(paths: readonly string[], { compare, compareTokenizer, follow }: Wanted): void {
  if (compare === undefined) {
    if (compareTokenizer === undefined) return;
    throw new UsageError("--compare-tokenizer needs --compare", {
      hint: "add --compare PATH",
    });
  }
  if (follow)
    throw new UsageError(
      "--follow and --compare cannot be combined: matching sequences needs finished runs",
      { hint: "leave out --follow to compare the runs as they are now, or follow each in its own viewer" },
    );
  if ([...paths, ...listComparedPaths({ compare })].filter((path) => path === "-").length > 1)
    throw new UsageError("standard input can be read only once: it cannot be two runs");
}

/** Checks where the bundle and the cache go, before anything is read. */
export async function checkPlaces(
  paths: readonly string[],
  { bundle, cache, compare, tokenizer, compareTokenizer, truth, force }: Wanted,
): Promise<void> {
  const more = [tokenizer, compareTokenizer, truth].filter((path) => path !== undefined);
  const inputs = [...paths, ...listComparedPaths({ compare }), ...more];
  const outputs = await openOutputs({ inputs, force });
  if (cache !== undefined) await outputs.directory("--cache", cache, "cache");
  if (bundle === undefined) return;
  if (bundle.endsWith(".zip")) await outputs.file("--bundle", bundle, "bundle");
  else await outputs.directory("--bundle", bundle, "bundle");
}

/** The options for a run to compare with: it may have another tokenizer. */
export function comparedOptions(options: Wanted): Wanted {
  const { compareTokenizer: tokenizer = options.tokenizer, ...rest } = options;
  return { ...rest, ...(tokenizer !== undefined && { tokenizer }) };
}

/** The options that preparing the run needs. */
export function prepareOptions(options: Wanted): PrepareOptions {
  const { tokenizer, truth, redact, cache } = options;
  return {
    read: toReadOptions(options),
    flags: inputFlags(options, VIEW_FLAGS),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(truth !== undefined && { truth: { name: truth, open: () => openTruth(truth) } }),
    ...(redact !== undefined && { redact }),
    ...(cache !== undefined && { cache }),
  };
}
