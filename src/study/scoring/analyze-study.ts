/**
 * Analyzes a scored study: one checkpoint at a time, one text at a time.
 *
 * @module
 */

import {
  crc32c,
  EmptyInputError,
  isLogratioError,
  NotFoundError,
  UsageError,
} from "../../core/base/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { openTokenizer } from "../../input/tokens/index.ts";
import { addHeads, type HeadSums } from "../analysis/attention/head-sums.ts";
import { type FirstError, findFirstError } from "../analysis/first-error/first-error.ts";
import { listCandidates } from "../analysis/pool/candidates.ts";
import {
  dropUnread,
  type ExcludedMass,
  type StudyCheckpoint,
  type StudySums,
  type SummarizedPair,
} from "../analysis/pool/study-sums.ts";
import { buildKlReport } from "../analysis/report/build-kl-report.ts";
import { chooseCases } from "../analysis/report/cases.ts";
import { listOtherResults } from "../analysis/report/first-error-tests.ts";
import { findLast as findLastCheckpoint } from "../analysis/report/report-input.ts";
import type { ScoredText } from "../analysis/study.ts";
import { summarizeText } from "../analysis/summarize-text.ts";
import type { TextSummary, TextUnderCheckpoints } from "../analysis/summary.ts";
import type { KlPolicy, KlReport } from "../results/report.ts";
import { orderFindings, reportSummarized, reportTokenizer, reportUnscored } from "./analysis-findings.ts";
import { reportCoverage } from "./coverage-findings.ts";
import type { SpikeGradients } from "./gradients/gradients-file.ts";
import { computeKey } from "./keyed-text.ts";
import { hasScores, type ReadScoredOptions, readPair } from "./read-scored.ts";
import { type Manifest, type ManifestPolicy, paths, readManifest } from "./store/manifest.ts";
import { readScoredKeys } from "./store/scores-damage.ts";
import { readTexts } from "./store/texts-file.ts";
import { StudyFollowUps } from "./study-follow-ups.ts";
import type { AnalysisSpec } from "./study-spec.ts";
import { readOutcomeFiles } from "./texts/outcomes.ts";
import type { PreparedText } from "./texts/prepare-text.ts";
import { writeResults } from "./write-results.ts";

export interface AnalyzeStudyOptions {
  readonly analysis: AnalysisSpec;
  /** Files that say which problems a policy solves, by its name; "" for a file that names the policies itself. */
  readonly outcomes?: Readonly<Record<string, string>>;
  /** Called with every text under every checkpoint, and awaited before the next. Not called for further pairs. */
  readonly onText?: (text: AnalyzedText) => void | Promise<void>;
  /** The checkpoints to report, besides the reference; default all that have scores. */
  readonly only?: readonly string[] | undefined;
  /** Names in `only` that may be missing from the study: their scoring failed, and was reported. */
  readonly failed?: readonly string[] | undefined;
  /** Whether the report lists every spike of every text and checkpoint, not only the largest; default false. */
  readonly allSpikes?: boolean | undefined;
  /** False if nothing may be written to the study's directory. */
  readonly writeResults?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: AnalyzeProgress) => void;
}

/** One text under a checkpoint and the reference, with its summary. */
export interface AnalyzedText {
  readonly checkpoint: string;
  readonly scored: ScoredText;
  readonly summary: TextSummary;
}

/** How far the analysis of scores is. */
export interface AnalyzeProgress {
  /** Name of the policy whose scores are being read. */
  readonly policy: string;
  /** Texts read so far, over all passes. */
  readonly texts: number;
  /** Texts of all passes. */
  readonly textsTotal: number;
}

/**
 * Reads a study directory and builds its report; writes each checkpoint's figures to `results/NAME.json` unless told not
 * to.
 *
 * @throws NotFoundError when the directory holds no study, or its reference has no scores
 * @throws EmptyInputError when no checkpoint has scores
 * @throws FormatError when a file of scores is damaged
 */
export async function analyzeStudy(dir: string, options: AnalyzeStudyOptions): Promise<KlReport> {
  return (await openAnalysis(dir, options)).report();
}

/** The sums of a study for a report on several, and findings of reading it. */
export interface SummedStudy {
  readonly sums: StudySums;
  /** Excludes findings that follow from the sums. */
  readonly findings: FindingLog;
}

/** Like {@link analyzeStudy}, but stops at the input of a report. Writes nothing. */
export async function sumStudy(dir: string, options: AnalyzeStudyOptions): Promise<SummedStudy> {
  return (await openAnalysis(dir, options)).sum();
}

async function openAnalysis(dir: string, options: AnalyzeStudyOptions): Promise<StudyAnalysis> {
  const manifest = await readManifest(dir);
  if (manifest === undefined) {
    throw new NotFoundError(`${dir} is not a study: it has no study.json`, {
      at: { file: dir },
      hint: "give the directory that logratio score wrote, or texts and policies to score",
    });
  }
  const findings = new FindingLog();
  const texts = await readTexts(dir, { written: manifest.texts, findings });
  return new StudyAnalysis(dir, manifest, texts, findings, options);
}

interface SummariesOptions {
  /** By key of the text. */
  readonly gradients?: ReadonlyMap<string, SpikeGradients> | undefined;
  readonly onText?: (scored: ScoredText, summary: TextSummary) => void | Promise<void>;
}

class StudyAnalysis {
  readonly #dir: string;
  readonly #manifest: Manifest;
  readonly #texts: readonly PreparedText[];
  readonly #options: AnalyzeStudyOptions;
  readonly #errors: readonly (FirstError | undefined)[];
  readonly #findings: FindingLog;
  readonly #read: ReadScoredOptions;
  #followUps: StudyFollowUps | undefined;
  #textOf: ((id: number) => string) | undefined;
  #done = 0;
  #total = 0;

  constructor(
    dir: string,
    manifest: Manifest,
    texts: readonly PreparedText[],
    findings: FindingLog,
    options: AnalyzeStudyOptions,
  ) {
    this.#dir = dir;
    this.#manifest = manifest;
    this.#texts = texts;
    this.#findings = findings;
    this.#options = options;
    this.#errors = texts.map((text) => (text.correct === false ? findFirstError(text) : undefined));
    this.#read = { floor: options.analysis.floor, vocabularySize: vocabularySize(manifest) };
  }

  async report(): Promise<KlReport> {
    const { names, checkpoints, pairs } = await this.#summarize();
    for (const { name, texts, excluded } of checkpoints)
      reportSummarized(this.#findings, name, this.#manifest.reference, texts, excluded);
    for (const { p, q, texts, excluded } of pairs) reportSummarized(this.#findings, p, q, texts, excluded);
    const input = {
      study: this.#manifest.name,
      reference: this.#manifest.reference,
      policies: Object.fromEntries(this.#policies()),
      settings: describeAnalysis(this.#options.analysis),
      categories: this.#options.analysis.categories,
      texts: this.#texts,
      vocabularySize: this.#read.vocabularySize,
      maskedOutTokens: this.#countMaskedOut(),
      checkpoints,
      pairs,
      findings: orderFindings(this.#findings.list()),
      sizes: { cases: this.#options.analysis.cases },
    };
    const cases = await this.#look(chooseCases(input), names);
    const report = buildKlReport({ ...input, cases, allSpikes: this.#options.allSpikes });
    if (this.#options.writeResults !== false) await writeResults(this.#dir, report);
    return report;
  }

  async sum(): Promise<SummedStudy> {
    const { names, checkpoints, pairs } = await this.#summarize();
    const last = findLastCheckpoint(checkpoints)!;
    const ranked = last.texts.map((summary) => {
      return { summary, correct: this.#texts[summary.index]!.correct };
    });
    const wanted = listCandidates(ranked).map(({ summary }) => summary.index);
    const looked = await this.#look(wanted, names);
    const errors = new Map(
      checkpoints.flatMap(({ texts }) => texts).map(({ index, error }) => [index, error]),
    );
    const sums: StudySums = {
      study: this.#manifest.name,
      reference: this.#manifest.reference,
      policies: new Map(this.#policies()),
      vocabularySize: this.#read.vocabularySize,
      maskedOutTokens: this.#countMaskedOut(),
      texts: this.#texts.map((text, index) => {
        const { id, problem, source, correct, level, promptIds } = text;
        const error = correct === false ? errors.get(index) : undefined;
        return {
          ...{ id, problem, source, correct, level },
          otherResults: error === undefined ? [] : listOtherResults(text, error),
          prompt: crc32c(new Uint8Array(promptIds.buffer, promptIds.byteOffset, promptIds.byteLength)),
        };
      }),
      checkpoints,
      pairs,
      looked,
    };
    return { sums: dropUnread(sums, last.name), findings: this.#findings };
  }

  /** Summaries of all texts under all checkpoints, and of all pairs. */
  async #summarize(): Promise<{
    readonly names: readonly string[];
    readonly checkpoints: readonly StudyCheckpoint[];
    readonly pairs: readonly SummarizedPair[];
  }> {
    await this.#open();
    const names = await this.#scored();
    this.#total = (names.length + this.#manifest.pairs.length) * this.#texts.length;
    const outcomes = await this.#outcomes();
    this.#followUps = await StudyFollowUps.read(this.#dir, this.#manifest, this.#findings);
    const checkpoints: StudyCheckpoint[] = [];
    for (const name of names) checkpoints.push(await this.#checkpoint(name, outcomes));
    const pairs: SummarizedPair[] = [];
    for (const [p, q] of this.#manifest.pairs)
      if (
        this.#isAsked(p) &&
        this.#isAsked(q) &&
        (await hasScores(this.#dir, p)) &&
        (await hasScores(this.#dir, q))
      )
        pairs.push({ p, q, ...(await this.#summaries(p, q)) });
    return { names, checkpoints, pairs };
  }

  /** Opens the reference's scores, and the tokenizer where available. */
  async #open(): Promise<void> {
    const { reference, tokenizer } = this.#manifest;
    if (!(await hasScores(this.#dir, reference))) {
      throw new NotFoundError(`the reference ${reference} has no complete scores in ${this.#dir}`, {
        at: { file: paths.scores(this.#dir, reference) },
        ...this.#explainNoScores(reference),
      });
    }
    if (tokenizer !== null)
      this.#textOf = await openTokenizer(tokenizer).then(
        ({ textOf }) => textOf,
        (error: unknown): undefined => {
          if (!isLogratioError(error)) throw error;
          reportTokenizer(this.#findings, tokenizer, error);
        },
      );
    await this.#openScores(reference);
  }

  /** Explains why a policy has no scores; one that refused every text was not interrupted. */
  #explainNoScores(name: string): { readonly likely: string; readonly hint: string } {
    const [first, ...others] = this.#manifest.policies[name]?.refused ?? [];
    if (first === undefined)
      return {
        likely: "scoring was interrupted before it finished",
        hint: "run logratio score again: it continues where it stopped",
      };
    return {
      likely: `it refused ${others.length === 0 ? "the only text" : `all ${others.length + 1} texts, the first`}: ${first.message}`,
      hint: first.hint ?? "score other texts, or another reference",
    };
  }

  /** Checks a policy's scores, and reports the texts that have none. */
  async #openScores(name: string): Promise<void> {
    const keys = await readScoredKeys(paths.scores(this.#dir, name));
    reportCoverage(this.#findings, name, this.#texts, {
      keys,
      file: paths.scores(this.#dir, name),
      entry: this.#manifest.policies[name],
      isVerified: this.#manifest.texts !== undefined,
    });
  }

  #isAsked(name: string): boolean {
    const { only } = this.#options;
    return only === undefined || name === this.#manifest.reference || only.includes(name);
  }

  #policies(): [string, KlPolicy][] {
    return Object.entries(this.#manifest.policies)
      .filter(([name]) => this.#isAsked(name))
      .map(([name, policy]) => [name, klPolicy(policy)]);
  }

  #countMaskedOut(): number {
    return this.#texts.reduce((sum, { mask }) => sum + mask.length - ones(mask), 0);
  }

  /** Policies with scores, except the reference. */
  async #scored(): Promise<string[]> {
    const { policies, reference } = this.#manifest;
    const { only, failed = [] } = this.#options;
    const unknown = only?.find((name) => policies[name] === undefined && !failed.includes(name));
    if (unknown !== undefined)
      throw new UsageError(`the checkpoint ${unknown} is not one of the study's policies`, {
        at: { file: paths.manifest(this.#dir) },
        hint: `the policies are ${Object.keys(policies).join(", ")}`,
      });
    const names: string[] = [];
    for (const name of Object.keys(policies)) {
      if (name === reference || !this.#isAsked(name)) continue;
      if (await hasScores(this.#dir, name)) {
        await this.#openScores(name);
        names.push(name);
      } else {
        reportUnscored(this.#findings, name, paths.scores(this.#dir, name));
      }
    }
    if (names.length === 0)
      throw new EmptyInputError(`no checkpoint has scores in ${this.#dir}`, { at: { file: this.#dir } });
    return names;
  }

  async #checkpoint(
    name: string,
    outcomes: ReadonlyMap<string, ReadonlyMap<string, boolean>>,
  ): Promise<StudyCheckpoint> {
    const { role, step, stage } = this.#manifest.policies[name]!;
    let heads: HeadSums | undefined;
    const gradients = await this.#followUps?.gradients(name);
    const { texts, excluded } = await this.#summaries(name, this.#manifest.reference, {
      gradients,
      onText: (scored, summary) => {
        heads = addHeads(heads, scored);
        return this.#options.onText?.({ checkpoint: name, scored, summary });
      },
    });
    return { name, role, step, stage, texts, heads, outcomes: outcomes.get(name) ?? new Map(), excluded };
  }

  async #summaries(
    p: string,
    q: string,
    { gradients, onText }: SummariesOptions = {},
  ): Promise<{ readonly texts: readonly TextSummary[]; readonly excluded: ExcludedMass }> {
    const { signal, analysis } = this.#options;
    const { spikes, categories, rlProbe } = analysis;
    const summaries: TextSummary[] = [];
    const excluded = { p: 0, q: 0 };
    for await (const { index, scored: plain } of readPair(this.#dir, this.#texts, p, q, this.#read)) {
      signal?.throwIfAborted();
      const text = this.#texts[index]!;
      const known = gradients?.get(computeKey(text));
      const scored: ScoredText = known === undefined ? plain : { ...plain, gradients: known };
      excluded.p = Math.max(excluded.p, scored.pair.excludedP ?? 0);
      excluded.q = Math.max(excluded.q, scored.pair.excludedQ ?? 0);
      const error = this.#errors[index];
      const continuations = this.#followUps?.continuationsUnder(p, text) ?? [];
      const summary: TextSummary = {
        ...summarizeText(index, scored, {
          spikes,
          categories,
          rlProbe,
          ...(error !== undefined && { error }),
          ...(this.#textOf !== undefined && { textOf: this.#textOf }),
        }),
        ...(continuations.length > 0 && { continuations }),
      };
      summaries.push(summary);
      await onText?.(scored, summary);
      this.#step(p);
    }
    return { texts: summaries.sort((a, b) => a.index - b.index), excluded };
  }

  /** Rereads some texts under every checkpoint, token by token. */
  async #look(indices: readonly number[], names: readonly string[]): Promise<TextUnderCheckpoints[]> {
    const wanted = new Map(
      indices.map((index) => {
        const kl = new Map<string, ArrayLike<number>>();
        const delta = new Map<string, ArrayLike<number>>();
        const text = this.#texts[index]!;
        const continuations = this.#followUps?.caseContinuations(text) ?? [];
        return [index, { index, text, kl, delta, continuations }];
      }),
    );
    if (wanted.size === 0) return [];
    for (const name of names) {
      for await (const { index, scored } of readPair(this.#dir, this.#texts, name, this.#manifest.reference, {
        ...this.#read,
        only: new Set(wanted.keys()),
      })) {
        const one = wanted.get(index)!;
        const { p, q, pair } = scored;
        const kl = pair.forwardKl ?? pair.forwardKlLower;
        if (kl !== undefined) one.kl.set(name, kl);
        one.delta.set(
          name,
          p.logprobs.map((value, t) => value - q.logprobs[t]!),
        );
      }
    }
    return [...wanted.values()];
  }

  async #outcomes(): Promise<Map<string, ReadonlyMap<string, boolean>>> {
    const problems = new Set(this.#texts.map(({ problem }) => problem));
    const found = await readOutcomeFiles(this.#options.outcomes ?? {});
    return new Map(
      [...found].map(([policy, outcomes]) => [
        policy,
        new Map([...outcomes].filter(([problem]) => problems.has(problem))),
      ]),
    );
  }

  #step(policy: string): void {
    this.#done++;
    this.#options.onProgress?.({ policy, texts: this.#done, textsTotal: this.#total });
  }
}

function vocabularySize({ policies, reference }: Manifest): number | null {
  const sizes = Object.values(policies).flatMap(({ facts }) => facts.vocabularySize ?? []);
  const own = policies[reference]?.facts.vocabularySize;
  return own ?? (sizes.length === 0 ? null : Math.max(...sizes));
}

function klPolicy({ role, step, stage, facts }: ManifestPolicy): KlPolicy {
  const { backend, location, model, logprobs, temperature, notes } = facts;
  return { role, step, stage, backend, location, model, logprobs, temperature, notes };
}

export function describeAnalysis(analysis: AnalysisSpec): KlReport["settings"] {
  const { spikes, categories, alpha, bootstrapReplicates, seed, rlProbe } = analysis;
  return {
    spikes: {
      method: spikes.method,
      threshold: spikes.threshold,
      min_distance: spikes.minDistance,
      percentile: spikes.percentile,
    },
    categories: categories.map(({ name }) => name),
    alpha,
    bootstrap_replicates: bootstrapReplicates,
    seed,
    alignment: rlProbe ? "rl-probe" : "predicted-token",
  };
}

function ones(mask: Uint8Array): number {
  let count = 0;
  for (const value of mask) count += value;
  return count;
}
