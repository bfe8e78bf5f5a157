/**
 * The inputs of a cache, as a version that changes when any of them does.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FIELDS } from "../../../../core/kernels/index.ts";
import { walk } from "../../../../ingest/index.ts";
import { statIfPresent } from "../../../../input/io/index.ts";
import { isRemote } from "../../../../input/remote/index.ts";
import { STEP_METRICS } from "../../../../results/metrics/run-metrics.ts";
import { SEQUENCE_COLUMNS } from "../../../../results/metrics/sequence-columns.ts";
import type { PrepareOptions } from "./options.ts";

/** The number is incremented whenever the content or layout of a cache changes otherwise. */
const CACHE_VERSION = [22, FIELDS, STEP_METRICS, SEQUENCE_COLUMNS] as const;
/** A file changed this recently may still be written to. */
const SETTLED_MS = 5000;
const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"];

export interface InputFile {
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
  /** For a remote file: the store's version of it. */
  readonly version?: string | undefined;
}

export interface Inputs {
  /** The same for every state of the same files and options. */
  readonly key: string;
  /** The same only while nothing has changed. */
  readonly version: string;
  readonly files: readonly InputFile[];
  /** With `following`: data files that were changed a moment ago. */
  readonly unsettled: ReadonlySet<string>;
}

/**
 * From the names, sizes and times of all inputs, without opening them.
 *
 * @throws NotFoundError if a path does not exist
 */
export async function describeInputs(paths: readonly string[], options: PrepareOptions): Promise<Inputs> {
  const { tokenizer, truth, flags = [], redact, following } = options;
  const { files } = await walk(paths);
  const local = files.filter(({ path, remote }) => path !== "-" && remote === undefined);
  // Stores report versions rather than times.
  const data = [
    ...(await existing(local.map(({ path }) => path))),
    ...files.flatMap(({ path, remote }) =>
      remote === undefined ? [] : [{ path, bytes: remote.byteLength, modified: 0, version: remote.version }],
    ),
  ];
  const texts =
    tokenizer === undefined
      ? []
      : await existing([tokenizer, ...TOKENIZER_FILES.map((name) => join(tokenizer, name))]);
  const truths = truth === undefined ? [] : await existing([truth.name]);
  const now = Date.now();
  const unsettled = following
    ? data.filter(({ modified }) => Math.abs(now - modified) < SETTLED_MS).map(({ path }) => path)
    : [];
  const asked = [
    paths,
    paths.map((path) => (isRemote(path) ? path : resolve(path))),
    flags,
    tokenizer && resolve(tokenizer),
    redact,
    truth?.name,
  ];
  return {
    key: digest(asked),
    version: digest([CACHE_VERSION, packageVersion(), asked, data, texts, truths]),
    files: data,
    unsettled: new Set(unsettled),
  };
}

/** A different stamp means different content. */
export function stampFile({ bytes, modified, version = String(modified) }: InputFile): string {
  return `${bytes} ${version}`;
}

/** Files that have vanished meanwhile are left out. */
export async function existing(paths: readonly string[]): Promise<InputFile[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const stats = await statIfPresent(path);
      return stats?.isFile() ? [{ path, bytes: stats.size, modified: stats.mtimeMs }] : [];
    }),
  );
  return found.flat();
}

export function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 20);
}

export function packageVersion(): string {
  const { version } = JSON.parse(
    readFileSync(new URL("../../../../../package.json", import.meta.url), "utf8"),
  ) as {
    version: string;
  };
  return version;
}
