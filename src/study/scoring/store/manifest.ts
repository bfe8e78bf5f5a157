/**
 * `study.json`: what a study directory contains, and its inputs.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { FormatError, type RefusalReason, VersionError } from "../../../core/base/index.ts";
import { listIfPresent, makeDirectory, readTextIfPresent, writeWholeFile } from "../../../input/io/index.ts";
import type { PolicyRole } from "../../results/names.ts";
import type { Policy, PolicyFacts } from "../policy.ts";

const SCHEMA_VERSION = 2;
/** Version 1 has no digest of its texts, and different keys in `texts.jsonl`. */
const OLDEST_VERSION = 1;

export interface Manifest {
  readonly schemaVersion: number;
  readonly kind: "logratio-study";
  readonly name: string;
  readonly reference: string;
  readonly pairs: readonly (readonly [string, string])[];
  readonly tokenizer: string | null;
  /** Digest of `texts.jsonl`; absent if an older version wrote the study. */
  readonly texts?: TextsDigest;
  /** Settings for reading the scores, as config keys. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly policies: Readonly<Record<string, ManifestPolicy>>;
}

/** What identifies the content of `texts.jsonl`. */
export interface TextsDigest {
  readonly count: number;
  /** SHA-256 of the whole file, in hexadecimal. */
  readonly sha256: string;
}

export interface ManifestPolicy {
  readonly at: string;
  readonly role: PolicyRole;
  readonly step: number | null;
  readonly stage: string | null;
  readonly gives: Policy["gives"];
  readonly facts: PolicyFacts;
  /**
   * Shows whether the scores are still valid: sizes and dates of its model and of those it is compared with, or
   * addresses.
   */
  readonly fingerprint: string;
  readonly refused: readonly RefusedText[];
  /** Texts that were not sent, because its server had failed too often in a row; absent if none. */
  readonly unsent?: number;
  /** The number of texts with scores; absent until the policy is finished. */
  readonly scored?: number;
}

export interface RefusedText {
  readonly text: string;
  readonly key: string;
  readonly reason: RefusalReason;
  readonly message: string;
  readonly likely?: string;
  readonly hint?: string;
}

/** Permanent reasons: trying again gives the same refusal. */
const LASTING: readonly RefusalReason[] = [
  "empty-response",
  "context-length",
  "unknown-token",
  "no-logits",
  "too-large",
  "fewer-tokens",
];

export function isLasting({ reason }: RefusedText): boolean {
  return LASTING.includes(reason);
}

export const paths = {
  manifest: (dir: string) => join(dir, "study.json"),
  texts: (dir: string) => join(dir, "texts.jsonl"),
  rollouts: (dir: string) => join(dir, "rollouts.jsonl"),
  continuations: (dir: string) => join(dir, "continuations.jsonl"),
  gradientsFolder: (dir: string) => join(dir, "gradients"),
  gradients: (dir: string, policy: string) => join(dir, "gradients", `${policy}.jsonl`),
  record: (dir: string) => join(dir, "record.parquet"),
  scores: (dir: string, policy: string) => join(dir, "scores", `${policy}.parquet`),
  results: (dir: string, policy: string) => join(dir, "results", `${policy}.json`),
  /** Scores that are saved while a policy runs. */
  parts: (dir: string, policy: string) => join(dir, "scores", `${policy}.parts`),
} as const;

/**
 * The manifest of a study directory; undefined if there is none.
 *
 * @throws FormatError when it is damaged, FileSystemError when it cannot be read
 */
export async function readManifest(dir: string): Promise<Manifest | undefined> {
  const file = paths.manifest(dir);
  const text = await readTextIfPresent(file);
  if (text === undefined) return undefined;
  const damaged = (what: string, cause?: unknown): FormatError =>
    new FormatError(`${file} ${what}`, {
      at: { file },
      likely: "it was edited, or the disk was full",
      hint: "run logratio score again with the inputs of the study: scores that fit are kept",
      cause,
    });
  let whole: Manifest & { readonly sha256?: string };
  try {
    whole = JSON.parse(text) as typeof whole;
  } catch (cause) {
    throw damaged("is not JSON", cause);
  }
  if (typeof whole !== "object" || whole === null) throw damaged("does not describe a study of logratio");
  const { sha256, ...value } = whole;
  if (sha256 !== undefined && sha256 !== computeDigest(value))
    throw damaged("has changed since it was written");
  if (value.kind !== "logratio-study") {
    throw new FormatError(`${file} does not describe a study of logratio`, { at: { file } });
  }
  const { schemaVersion: version } = value;
  if (!(Number.isInteger(version) && version >= OLDEST_VERSION && version <= SCHEMA_VERSION)) {
    throw new VersionError(
      `the study in ${dir} has version ${String(version)}; this logratio reads versions ${OLDEST_VERSION} to ${SCHEMA_VERSION}`,
      {
        ...(typeof version === "number" && { found: version }),
        supported: SCHEMA_VERSION,
        at: { file },
        hint: "use the logratio that wrote it, or a newer one",
      },
    );
  }
  return value;
}

/** Whether a directory has scores of any policy, finished or not. */
export async function hasAnyScores(dir: string): Promise<boolean> {
  const names = (await listIfPresent(join(dir, "scores"))) ?? [];
  return names.some((name) => !name.startsWith("."));
}

/** @throws FileSystemError or NotFoundError when it cannot be made */
export async function makeStudyDirectory(dir: string): Promise<void> {
  makeDirectory(join(dir, "scores"));
}

export async function writeManifest(
  dir: string,
  manifest: Omit<Manifest, "schemaVersion" | "kind">,
): Promise<void> {
  await makeStudyDirectory(dir);
  const whole: Manifest = { schemaVersion: SCHEMA_VERSION, kind: "logratio-study", ...manifest };
  const text = JSON.stringify({ ...whole, sha256: computeDigest(whole) }, null, 2);
  await writeWholeFile(paths.manifest(dir), `${text}\n`);
}

/** SHA-256 of the manifest's content, in hexadecimal. */
function computeDigest(manifest: Manifest): string {
  return createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
}
