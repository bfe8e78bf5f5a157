/**
 * Scores every text of a study under every policy: existing scores are kept, new ones are saved as they are computed.
 *
 *     manifest of before ─► entries ──────────────────────────────────────┐
 *     for each policy, in training order:                                 ▼
 *       askAbilities ─► entry without `scored` ─► save ─► openWork ─► scoreTexts ─► finish ─► entry ─► save
 *        (itself, partners)                                 │             │          (pause where interrupted)
 *                                                           ▼             ▼
 *                                               texts not yet scored   its rows, and its partners' from the cache
 *       then all models are closed that no later policy is compared with
 *
 * The manifest is written before and after each policy, not only at the end, so that a killed study can resume.
 *
 * @module
 */

import { resolve } from "node:path";
import { createDistributionPool, type DistributionPool } from "../../analyses/parallel/index.ts";
import { containError, dictionary } from "../../core/base/index.ts";
import type { Finding, FindingLog } from "../../core/schema/index.ts";
import type { ErrorSpan } from "../analysis/error-span.ts";
import { isStudyFailure } from "./is-study-failure.ts";
import { keyed } from "./keyed-text.ts";
import type { BackendOptions } from "./open-policy.ts";
import type { LogitsPolicy, Policy } from "./policy.ts";
import { type KnownPolicy, PolicyPool } from "./policy-pool.ts";
import { RowCache } from "./row-cache.ts";
import { namesOfRows } from "./score-attention.ts";
import { type KeyedText, type ScoredPolicy, scorePolicy } from "./score-policy.ts";
import { reportDamage, reportNoAttention, reportPolicy, reportRefusals } from "./scoring-findings.ts";
import {
  isLasting,
  type ManifestPolicy,
  type RefusedText,
  type TextsDigest,
  writeManifest,
} from "./store/manifest.ts";
import { openPolicyScores, type PolicyScoresFile } from "./store/policy-scores.ts";
import { digestTexts } from "./store/texts-file.ts";
import { inTrainingOrder, isAsked, listPartners, type PolicySpec, type StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

const DEFAULT_CACHE_BYTES = 2 ** 30;
const DEFAULT_CONCURRENCY = 8;

/** How far the scoring of texts is. */
export interface ScoreProgress {
  /** Name of the policy that is being scored. */
  readonly policy: string;
  /** Its number, from 1. */
  readonly policyNumber: number;
  /** Number of all policies. */
  readonly policies: number;
  /** Finished texts of this policy. */
  readonly texts: number;
  /** Texts of a policy. */
  readonly textsTotal: number;
  /** Response tokens over all policies that were scored in this run. */
  readonly tokensDone: number;
  /** Those that remain. */
  readonly tokensLeft: number;
}

export interface ScoreOptions extends BackendOptions {
  /** Directory of the study's tokenizer; policies with a different vocabulary are left out. */
  readonly tokenizer?: string;
  /** Bytes of cached logits, so that the reference runs once; default 1 GiB. */
  readonly cacheBytes?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ScoreProgress) => void;
}

export interface PolicyOutcome {
  readonly name: string;
  /** Texts scored now, texts scored before, and texts that it refused. */
  readonly scored: number;
  readonly kept: number;
  readonly refused: number;
  readonly gives: Policy["gives"];
  /** Response tokens scored now. */
  readonly tokens: number;
  readonly seconds: number;
  /** The back end's notes about its log-probs. */
  readonly notes: readonly string[];
}

export interface ScoreResult {
  readonly policies: readonly PolicyOutcome[];
  readonly findings: readonly Finding[];
  readonly interrupted: boolean;
}

/** What a policy can compute, given its partners. */
interface Abilities extends KnownPolicy {
  /** Partners with logits, for which D is exact. */
  readonly exact: readonly string[];
  readonly attention: { readonly heads: number; readonly hiding: readonly string[] } | undefined;
}

/** The work left for one policy. */
interface Work {
  readonly file: PolicyScoresFile;
  readonly remaining: readonly KeyedText[];
  /** Texts that it refused before, for permanent reasons. */
  readonly lasting: readonly RefusedText[];
}

export class StudyScoring {
  readonly #spec: StudySpec;
  readonly #options: ScoreOptions;
  readonly #findings: FindingLog;
  /** The reference first, so that its rows are cached when the others are compared with them. */
  readonly #policies: readonly PolicySpec[];
  readonly #texts: readonly KeyedText[];
  /** Digest of the stored texts, for the manifest. */
  readonly #written: TextsDigest;
  /** By key: the place of a wrong text's first error, if attention is requested. */
  readonly #errors: ReadonlyMap<string, ErrorSpan | undefined>;
  readonly #pool: PolicyPool;
  readonly #cache: RowCache;
  readonly #rows: DistributionPool;

  // The manifest's entries at the start, and now.
  readonly #before: Readonly<Record<string, ManifestPolicy>>;
  readonly #entries: Record<string, ManifestPolicy>;

  /** Response tokens of one policy, and those scored here so far over all policies. */
  readonly #tokens: number;
  #tokensDone = 0;

  constructor(
    spec: StudySpec,
    texts: readonly PreparedText[],
    options: ScoreOptions,
    before: Readonly<Record<string, ManifestPolicy>>,
    findings: FindingLog,
  ) {
    this.#spec = spec;
    this.#options = options;
    this.#findings = findings;
    this.#before = before;
    this.#policies = inTrainingOrder(spec.policies);
    // Earlier policies that the study no longer has are dropped; the others keep their entry until they are scored, so
    // that an interrupted run loses nothing of those that it did not reach.
    this.#entries = dictionary<ManifestPolicy>(
      this.#policies.flatMap(({ name }) => {
        const known = before[name];
        return known === undefined ? [] : [[name, known]];
      }),
    );
    this.#pool = new PolicyPool(spec, options.tokenizer, before, options);
    this.#cache = new RowCache(
      options.cacheBytes ?? DEFAULT_CACHE_BYTES,
      this.#policies.flatMap(({ name }) => listPartners(name, spec)).flatMap(namesOfRows),
    );
    this.#rows = createDistributionPool(options.threads);
    this.#texts = texts.map((text) => keyed(text, spec.attention));
    this.#written = digestTexts(texts);
    this.#errors = new Map(this.#texts.map(({ key, plan }) => [key, plan?.error]));
    this.#tokens = this.#texts.reduce((sum, text) => sum + responseTokens(text), 0);
  }

  async run(): Promise<ScoreResult> {
    const { signal } = this.#options;
    const outcomes: PolicyOutcome[] = [];
    await this.#pool.lookAround();
    try {
      for (const [i, policy] of this.#policies.entries()) {
        if (signal?.aborted) break;
        if (!isAsked(policy, this.#spec)) continue;
        try {
          outcomes.push(await this.#scorePolicy(policy, i + 1));
        } catch (error) {
          // A failure during an abort is due to the abort.
          if (signal?.aborted) break;
          if (isStudyFailure(error, this.#spec.out)) throw error;
          const failure = containError(error, { file: policy.at }, "policy");
          if (policy.role === "reference") throw failure;
          reportPolicy(this.#findings, policy, failure);
        }
        // Models take memory: only those stay open that a later policy is compared with.
        const later = this.#policies.slice(i + 1).flatMap(({ name }) => listPartners(name, this.#spec));
        await this.#pool.closeAllBut(new Set(later));
      }
    } finally {
      await this.#pool.closeAllBut(new Set());
      await this.#rows.close();
    }
    return {
      policies: outcomes,
      findings: this.#findings.list(),
      interrupted: signal?.aborted === true,
    };
  }

  /** @param number the policy's number, from 1 */
  async #scorePolicy(policy: PolicySpec, number: number): Promise<PolicyOutcome> {
    const started = Date.now();
    const { signal } = this.#options;
    const { name, role, step, stage, at } = policy;
    const able = await this.#askAbilities(name);
    const { gives, facts } = able;
    const entry = { at, role, step, stage, gives, facts, fingerprint: this.#pool.fingerprint(name) };
    const before = this.#pool.unchanged(name) ? (this.#before[name]?.refused ?? []) : [];
    const lasting = before.filter((one) => isLasting(one) && this.#errors.has(one.key));
    // Before any score, so that scores saved before a kill identify their model. Without `scored`, which would mark its
    // files as finished.
    this.#entries[name] = { ...entry, refused: lasting };
    await this.#save();

    const work = await this.#openWork(name, able, lasting);
    const { file, remaining } = work;
    const result = await this.#scoreTexts(name, number, able, work);
    this.#tokensDone += result.tokens;
    // On an interrupt, leave the file so that the next run can resume.
    if (signal?.aborted) await file.pause();
    else await file.finish(this.#texts.map(({ key }) => key));
    const refused = [...lasting, ...result.refused];
    const scored = signal?.aborted ? undefined : file.done.size;
    this.#entries[name] = {
      ...entry,
      refused,
      ...(result.givenUp > 0 && { unsent: result.givenUp }),
      ...(scored !== undefined && { scored }),
    };
    await this.#save();
    reportRefusals(this.#findings, name, refused, result.givenUp);
    return {
      name,
      scored: result.scored,
      kept: this.#texts.length - remaining.length - lasting.length,
      refused: refused.length + result.givenUp,
      gives,
      tokens: result.tokens,
      notes: facts.notes,
      seconds: (Date.now() - started) / 1000,
    };
  }

  /**
   * What can be computed for a policy: exact figures need logits of both sides, hiding tokens needs attention of both.
   */
  async #askAbilities(name: string): Promise<Abilities> {
    const { gives, facts } = await this.#pool.known(name);
    const exact: string[] = [];
    const hiding: string[] = [];
    if (gives === "logits") {
      for (const partner of listPartners(name, this.#spec)) {
        const other = await this.#pool.known(partner);
        if (other.gives === "logits") exact.push(partner);
        if (facts.attention?.canHide && other.facts.attention?.canHide) hiding.push(partner);
      }
    }
    const heads = this.#spec.attention ? facts.attention?.heads : undefined;
    if (this.#spec.attention && heads === undefined) reportNoAttention(this.#findings, name, facts);
    return { gives, facts, exact, attention: heads === undefined ? undefined : { heads, hiding } };
  }

  /** Opens the policy's scores, and lists the texts that they lack. */
  async #openWork(name: string, able: Abilities, lasting: readonly RefusedText[]): Promise<Work> {
    const { out, topK } = this.#spec;
    const { gives, exact, attention } = able;
    const layout = { entropies: gives === "logits", topK, partners: exact, attention };
    const file = await openPolicyScores(out, name, layout, {
      fingerprint: this.#pool.fingerprint(name),
      errors: this.#errors,
      finished: this.#pool.unchanged(name) && (this.#before[name]?.scored ?? 0) > 0,
      onDamage: (damaged) => reportDamage(this.#findings, name, damaged),
    });
    const refused = new Set(lasting.map(({ key }) => key));
    const remaining = this.#texts.filter(({ key }) => !file.done.has(key) && !refused.has(key));
    return { file, remaining, lasting };
  }

  async #scoreTexts(
    name: string,
    number: number,
    able: Abilities,
    { file, remaining }: Work,
  ): Promise<ScoredPolicy & { readonly tokens: number }> {
    // If everything is scored, no model is opened, so that a second run is quick.
    if (remaining.length === 0) return { scored: 0, refused: [], givenUp: 0, tokens: 0 };
    const { signal, onProgress, concurrency = DEFAULT_CONCURRENCY } = this.#options;
    const all = this.#texts.length;
    const left = remaining.reduce((sum, text) => sum + responseTokens(text), 0);
    let done = all - remaining.length;
    let tokens = 0;
    const onText = (text: KeyedText): void => {
      done++;
      tokens += responseTokens(text);
      onProgress?.({
        policy: name,
        policyNumber: number,
        policies: this.#policies.length,
        texts: done,
        textsTotal: all,
        tokensDone: this.#tokensDone + tokens,
        tokensLeft: left - tokens + (this.#policies.length - number) * this.#tokens,
      });
    };
    const result = await scorePolicy(
      await this.#pool.open(name),
      // `able.exact` has only partners with logits.
      (await Promise.all(able.exact.map((partner) => this.#pool.open(partner)))) as LogitsPolicy[],
      remaining,
      file,
      {
        topK: this.#spec.topK,
        cache: this.#cache,
        rows: this.#rows,
        concurrency,
        attention: able.attention?.hiding,
        ...(signal !== undefined && { signal }),
        onText,
      },
    ).catch(async (error: unknown) => {
      // Keep what was scored before the failure.
      await file.pause();
      throw error;
    });
    return { ...result, tokens };
  }

  #save(): Promise<void> {
    const { out, name, reference, pairs, settings } = this.#spec;
    const { tokenizer } = this.#options;
    return writeManifest(out, {
      name,
      reference,
      pairs,
      tokenizer: tokenizer === undefined ? null : resolve(tokenizer),
      texts: this.#written,
      settings,
      policies: this.#entries,
    });
  }
}

function responseTokens({ forced }: KeyedText): number {
  return forced.ids.length - forced.promptLength;
}
