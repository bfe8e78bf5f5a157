/**
 * Every text of a study under every policy: what is scored already is kept, what is scored is saved as it goes.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { containError, dictionary, isLogratioError, type LogratioError } from "../core/base/index.ts";
import { type Finding, FindingLog } from "../core/schema/index.ts";
import { isSystemError } from "../input/io/index.ts";
import { attentionPlan } from "./attention-plan.ts";
import type { BackendOptions } from "./open-policy.ts";
import type { LogitsPolicy, Policy, PolicyFacts } from "./policy.ts";
import { PolicyPool } from "./policy-pool.ts";
import { RowCache } from "./row-cache.ts";
import { namesOfRows } from "./score-attention.ts";
import { type KeyedText, scorePolicy } from "./score-policy.ts";
import {
  hasAnyScores,
  isLasting,
  type Manifest,
  type ManifestPolicy,
  paths,
  type RefusedText,
  readManifest,
  writeManifest,
} from "./store/manifest.ts";
import { openPolicyScores } from "./store/policy-scores.ts";
import type { DamagedScores } from "./store/scores-damage.ts";
import { inTrainingOrder, type PolicySpec, partnersOf, type StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/index.ts";

const DEFAULT_CACHE_BYTES = 2 ** 30;
const DEFAULT_CONCURRENCY = 8;

export interface ScoreProgress {
  readonly policy: string;
  /** Place of the policy, from 1, and how many there are. */
  readonly policyNumber: number;
  readonly policies: number;
  /** Texts of this policy that are done, and all. */
  readonly texts: number;
  readonly textsTotal: number;
  /** Response tokens over all policies: scored in this run, and still to be. */
  readonly tokensDone: number;
  readonly tokensLeft: number;
}

export interface ScoreOptions extends BackendOptions {
  /** Directory of the study's tokenizer; policies that bring another vocabulary are left out. */
  readonly tokenizer?: string;
  /** Bytes of logits that are kept so that the reference runs once; default 1 GiB. */
  readonly cacheBytes?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ScoreProgress) => void;
}

export interface PolicyOutcome {
  readonly name: string;
  /** Texts scored now, texts that were scored before, texts that it refused. */
  readonly scored: number;
  readonly kept: number;
  readonly refused: number;
  readonly gives: Policy["gives"];
  /** Response tokens scored now. */
  readonly tokens: number;
  readonly seconds: number;
  /** What its back end says about its log-probs. */
  readonly notes: readonly string[];
}

export interface ScoreResult {
  readonly policies: readonly PolicyOutcome[];
  readonly findings: readonly Finding[];
  readonly interrupted: boolean;
}

/** Digest of what a text's scores depend on. */
export function keyOf({ id, promptIds, tokenIds }: PreparedText): string {
  const hash = createHash("sha256").update(id);
  for (const ids of [promptIds, tokenIds])
    hash.update("\0").update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength));
  return hash.digest("hex").slice(0, 24);
}

function keyed(text: PreparedText, attention: boolean): KeyedText {
  const { promptIds, tokenIds } = text;
  const ids = new Int32Array(promptIds.length + tokenIds.length);
  ids.set(promptIds);
  ids.set(tokenIds, promptIds.length);
  return {
    key: keyOf(text),
    forced: { id: text.id, ids, promptLength: promptIds.length },
    plan: attention ? attentionPlan(text) : undefined,
  };
}

/**
 * Scores texts under every policy of a study, into the study's directory. A policy that cannot be opened, and a text
 * that a policy refuses, is a finding; the rest is scored and kept.
 *
 * @throws the reference's error where the reference cannot be opened: without it nothing can be compared
 */
export async function scoreStudy(
  spec: StudySpec,
  texts: readonly PreparedText[],
  options: ScoreOptions = {},
): Promise<ScoreResult> {
  const { out, topK, reference, pairs, name, settings } = spec;
  const { signal, onProgress, concurrency = DEFAULT_CONCURRENCY, tokenizer } = options;
  const findings = new FindingLog();
  const before = dictionary(Object.entries((await manifestBefore(out, findings))?.policies ?? {}));
  const policies = inTrainingOrder(spec.policies);
  const entries = dictionary<ManifestPolicy>(
    policies.flatMap((policy) => {
      const known = before[policy.name];
      return known === undefined ? [] : [[policy.name, known]];
    }),
  );
  const save = (): Promise<void> =>
    writeManifest(out, {
      name,
      reference,
      pairs,
      tokenizer: tokenizer === undefined ? null : resolve(tokenizer),
      settings,
      policies: entries,
    });
  const pool = new PolicyPool(spec, tokenizer, before, options);
  await pool.lookAround();
  const cache = new RowCache(
    options.cacheBytes ?? DEFAULT_CACHE_BYTES,
    policies.flatMap((policy) => partnersOf(policy.name, spec)).flatMap(namesOfRows),
  );
  const all = texts.map((text) => keyed(text, spec.attention));
  const errors = new Map(all.map(({ key, plan }) => [key, plan?.error]));
  const outcomes: PolicyOutcome[] = [];
  const tokens = all.reduce((sum, text) => sum + responseTokens(text), 0);
  let tokensDone = 0;

  const scoreOne = async (policy: PolicySpec, number: number): Promise<PolicyOutcome> => {
    const started = Date.now();
    const names = partnersOf(policy.name, spec);
    const same = pool.unchanged(policy.name);
    const { gives, facts } = await pool.known(policy.name);
    const exact: string[] = [];
    const hiding: string[] = [];
    if (gives === "logits") {
      for (const partner of names) {
        const other = await pool.known(partner);
        if (other.gives === "logits") exact.push(partner);
        if (facts.attention?.canHide && other.facts.attention?.canHide) hiding.push(partner);
      }
    }
    const heads = spec.attention ? facts.attention?.heads : undefined;
    const attention = heads === undefined ? undefined : { heads, hiding };
    if (spec.attention && attention === undefined) reportNoAttention(findings, policy.name, facts);
    const { role, step, stage, at } = policy;
    const lasting = same ? (before[policy.name]?.refused ?? []).filter(isLasting) : [];
    const entry = { at, role, step, stage, gives, facts, fingerprint: pool.fingerprint(policy.name) };
    entries[policy.name] = { ...entry, refused: lasting };
    await save();

    const layout = { entropies: gives === "logits", topK, partners: exact, attention };
    const file = await openPolicyScores(out, policy.name, layout, {
      fingerprint: entry.fingerprint,
      errors,
      finished: same && (before[policy.name]?.scored ?? 0) > 0,
      onDamage: (damaged) => reportDamage(findings, policy.name, damaged),
    });
    const asked = new Set(lasting.map(({ key }) => key));
    const todo = all.filter(({ key }) => !file.done.has(key) && !asked.has(key));
    let textsDone = all.length - todo.length;
    const left = todo.reduce((sum, text) => sum + responseTokens(text), 0);
    let doneHere = 0;
    const result =
      todo.length === 0
        ? { scored: 0, refused: [], givenUp: 0 }
        : await scorePolicy(
            await pool.open(policy.name),
            (await Promise.all(exact.map((partner) => pool.open(partner)))) as LogitsPolicy[],
            todo,
            file,
            {
              topK,
              cache,
              concurrency,
              attention: attention?.hiding,
              ...(signal !== undefined && { signal }),
              onText(text) {
                textsDone++;
                doneHere += responseTokens(text);
                onProgress?.({
                  policy: policy.name,
                  policyNumber: number,
                  policies: policies.length,
                  texts: textsDone,
                  textsTotal: all.length,
                  tokensDone: tokensDone + doneHere,
                  tokensLeft: left - doneHere + (policies.length - number) * tokens,
                });
              },
            },
          ).catch(async (error: unknown) => {
            await file.pause();
            throw error;
          });
    tokensDone += doneHere;
    if (signal?.aborted) await file.pause();
    else await file.finish(all.map(({ key }) => key));
    const refused = [...lasting, ...result.refused];
    const scored = signal?.aborted ? undefined : file.done.size;
    entries[policy.name] = { ...entry, refused, ...(scored !== undefined && { scored }) };
    await save();
    reportRefusals(findings, policy.name, refused, result.givenUp);
    return {
      name: policy.name,
      scored: result.scored,
      kept: all.length - todo.length - lasting.length,
      refused: refused.length + result.givenUp,
      gives,
      tokens: doneHere,
      notes: facts.notes,
      seconds: (Date.now() - started) / 1000,
    };
  };

  try {
    for (const [i, policy] of policies.entries()) {
      if (signal?.aborted) break;
      try {
        outcomes.push(await scoreOne(policy, i + 1));
      } catch (error) {
        if (signal?.aborted) break;
        // What the system refuses concerns the study's own files, and so every policy.
        if (isSystemError(error)) throw error;
        const failure = containError(error, { file: policy.at }, "policy");
        if (policy.role === "reference") throw failure;
        reportPolicy(findings, policy, failure);
      }
      const later = policies.slice(i + 1).flatMap((next) => partnersOf(next.name, spec));
      await pool.closeAllBut(new Set(later));
    }
  } finally {
    await pool.closeAllBut(new Set());
  }
  return { policies: outcomes, findings: findings.list(), interrupted: signal?.aborted === true };
}

function responseTokens({ forced }: KeyedText): number {
  return forced.ids.length - forced.promptLength;
}

/** What an earlier run said of the study; where that is damaged, scores still say whose they are. */
async function manifestBefore(dir: string, findings: FindingLog): Promise<Manifest | undefined> {
  const tell = (what: string): void =>
    findings.add({
      code: "note",
      severity: "warning",
      subject: "manifest",
      count: 1,
      describe: () => `${what}: it is rebuilt`,
      at: { file: paths.manifest(dir) },
      likely: "the disk was full, or the file was edited or removed",
    });
  try {
    const manifest = await readManifest(dir);
    if (manifest === undefined && (await hasAnyScores(dir))) tell(`${paths.manifest(dir)} is missing`);
    return manifest;
  } catch (error) {
    if (!isLogratioError(error, "FormatError")) throw error;
    tell(error.message);
    return undefined;
  }
}

function reportDamage(findings: FindingLog, name: string, { file, why }: DamagedScores): void {
  findings.add({
    code: "note",
    severity: "warning",
    subject: `${name} damage`,
    count: 1,
    describe: (count) =>
      count === 1
        ? `scores of ${name} were lost with ${file} (${why}) and will be computed again`
        : `scores of ${name} were lost with ${count} files, the first ${file} (${why}), and will be computed again`,
    at: { file },
    likely: "the disk was full, or the file was copied incompletely, edited or removed",
  });
}

function reportNoAttention(findings: FindingLog, name: string, { backend, notes }: PolicyFacts): void {
  const why = notes.find((note) => note.includes("attention cannot be read"));
  findings.add({
    code: "note",
    severity: "info",
    subject: `${name} attention`,
    count: 1,
    describe: () => `${name} has no attention figures`,
    at: {},
    likely: why ?? `only local ONNX models provide attention, not ${backend}`,
    ...(why !== undefined && {
      hint: "export the checkpoint with plain attention (opset 14 to 17, no fused operators)",
    }),
  });
}

function reportPolicy(findings: FindingLog, { name, at }: PolicySpec, error: LogratioError): void {
  findings.add({
    code: "policy-skipped",
    severity: "skipped",
    subject: name,
    count: 1,
    describe: () => `${name} (${at}) was not scored: ${error.message}`,
    at: error.at,
    ...(error.likely !== undefined && { likely: error.likely }),
    ...(error.hint !== undefined && { hint: error.hint }),
  });
}

function reportRefusals(
  findings: FindingLog,
  policy: string,
  refused: readonly RefusedText[],
  givenUp: number,
): void {
  for (const { text, reason, message, likely, hint } of refused) {
    findings.add({
      code: "text-refused",
      severity: "skipped",
      subject: `${policy} ${reason}`,
      count: 1,
      describe: (count) =>
        count === 1
          ? `${policy} has no scores of ${text}: ${message}`
          : `${policy} has no scores of ${count} texts (${reason}); the first is ${text}: ${message}`,
      at: {},
      ...(likely !== undefined && { likely }),
      ...(hint !== undefined && { hint }),
    });
  }
  if (givenUp > 0) {
    findings.add({
      code: "text-refused",
      severity: "skipped",
      subject: `${policy} given up`,
      count: givenUp,
      describe: (count) =>
        `${count} more texts were not sent to ${policy}, because its server failed several times in a row`,
      at: {},
      hint: "run the same command again when the server is back: scores so far are kept",
    });
  }
}
