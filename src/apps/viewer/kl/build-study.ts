/**
 * Analyzes a study once and writes per-text data along the way.
 *
 * @module
 */
import { writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { FindingLog } from "../../../core/schema/index.ts";
import { ValueSketch } from "../../../core/summaries/index.ts";
import { type StudyInfo, type StudyTexts, VIEW_SCHEMA_VERSION } from "../../../results/view.ts";
import { encodeArrays } from "../../../results/wire/arrays.ts";
import { tokenClassifier } from "../../../study/analysis/index.ts";
import type { KlReport } from "../../../study/results/report.ts";
import {
  type AnalyzedText,
  type AnalyzeStudyOptions,
  analyzeStudy,
  type Manifest,
  type PreparedText,
  readTexts,
} from "../../../study/scoring/index.ts";
import { CACHE_FACTS } from "../prepare/cache/cache-files.ts";
import { FileAppender } from "../prepare/cache/file-appender.ts";
import { sealFiles } from "../prepare/cache/seal.ts";
import { redactReport, redactText } from "./redact-study.ts";
import { type StoredText, studySpikes, type TextFigures, textRow } from "./study-text.ts";
import { type ValuesLayout, ValuesWriter } from "./values-file.ts";

export const STUDY_FILES = {
  run: "run.json",
  study: "study.json",
  texts: "texts.json",
  /** {@link StoredText}s, one after the other. */
  text: "text.bin",
  spikes: "spikes.bin",
  values: "values.bin",
  offsets: "offsets.bin",
} as const;

/** Other facts that the reader of a cache needs. */
export interface StudyFacts {
  /** Room for checkpoints in the files. */
  readonly slots: number;
  /** Of `checkpoints` in their order. */
  readonly slotOf: readonly number[];
  readonly checkpoints: readonly string[];
  readonly categories: readonly string[];
}

/** Where the color scale ends: beyond it are the few largest values of the study. */
const SCALE_QUANTILE = 0.999;

export interface BuildStudyOptions extends Omit<AnalyzeStudyOptions, "onText" | "writeResults"> {
  /** No texts, only token ids. */
  readonly redact: boolean;
}

/** Writes all answers about the study in `dir` to `directory`. */
export async function buildStudy(
  directory: string,
  dir: string,
  manifest: Manifest,
  version: string,
  { redact, ...options }: BuildStudyOptions,
): Promise<void> {
  // The analysis reads the same file, and reports what is damaged.
  const texts = await readTexts(dir, { written: manifest.texts, findings: new FindingLog() });
  const pass = await StudyPass.begin(directory, manifest, texts, redact);
  let report: KlReport;
  try {
    report = await analyzeStudy(dir, {
      ...options,
      writeResults: false,
      onText: (text) => pass.add(text),
    });
  } finally {
    await pass.close();
  }
  if (redact) report = redactReport(report, texts);
  const shown = redact ? texts.map(redactText) : texts;
  const checkpoints = Object.keys(report.checkpoints);
  const slotOf = checkpoints.map((name) => pass.slots.indexOf(name));
  const categories = new CategoryCodes(options.analysis.categories);
  const kinds = texts.map(({ tokens }) => tokens.map((token) => categories.codeOf(token)));
  const textOffsets = await writeStoredTexts(join(directory, STUDY_FILES.text), shown, pass, kinds);
  const facts: StudyFacts = { slots: pass.slots.length, slotOf, checkpoints, categories: categories.names };
  const json = (name: string, value: unknown): Promise<void> =>
    writeFile(join(directory, name), JSON.stringify(value));
  await json(STUDY_FILES.run, describeStudy(report, texts, version, redact));
  await json(STUDY_FILES.study, report);
  await json(STUDY_FILES.texts, listTexts(shown, pass, checkpoints, slotOf));
  await writeFile(
    join(directory, STUDY_FILES.offsets),
    encodeArrays(null, { tokens: pass.layout.tokenOffsets, spikes: pass.spikeOffsets, text: textOffsets }),
  );
  await json(CACHE_FACTS, facts);
  await sealFiles(directory);
}

function describeStudy(
  report: KlReport,
  texts: readonly PreparedText[],
  version: string,
  redacted: boolean,
): StudyInfo {
  const checkpoints = Object.entries(report.checkpoints);
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-study",
    name: basename(resolve(report.study)),
    version,
    reference: report.reference,
    checkpoints: checkpoints.map(([name]) => name),
    baselines: checkpoints.filter(([, { role }]) => role === "baseline").map(([name]) => name),
    problems: report.metrics.problems,
    texts: texts.length,
    tokens: texts.reduce((sum, { mask }) => sum + ones(mask), 0),
    status: "ready",
    redacted,
    findings: report.findings,
  };
}

function listTexts(
  texts: readonly PreparedText[],
  pass: StudyPass,
  checkpoints: readonly string[],
  slotOf: readonly number[],
): StudyTexts {
  const largest = Math.max(0, pass.kl.max);
  const [scale = 0] = pass.kl.count === 0 ? [] : pass.kl.quantiles([SCALE_QUANTILE]);
  return {
    checkpoints,
    // If nearly all tokens agree, the quantile is 0 and the scale would be empty.
    scale: scale > 0 ? Math.min(scale, largest) : largest,
    largest,
    texts: texts.map((text, index) =>
      textRow(index, text, {
        figures: slotOf.map((slot) => pass.figures[slot]?.[index]),
        hasError: pass.errors.has(index),
      }),
    ),
  };
}

/** Codes of token categories, in order of first use. */
class CategoryCodes {
  readonly names: string[] = [];
  readonly #codes = new Map<string, number>();
  readonly #classify: (token: string) => string;

  constructor(categories: AnalyzeStudyOptions["analysis"]["categories"]) {
    this.#classify = tokenClassifier(categories);
  }

  codeOf(token: string): number {
    const name = this.#classify(token);
    const code = this.#codes.get(name) ?? this.names.push(name) - 1;
    this.#codes.set(name, code);
    return code;
  }
}

/** Files that are written while the study is analyzed. */
class StudyPass {
  /** Policies that may have scores; not the reference. */
  readonly slots: readonly string[];
  readonly layout: ValuesLayout;
  /** `[texts, slots, 2]`: start and end in the file of spikes; both 0 if this checkpoint has no scores for the text. */
  readonly spikeOffsets: Float64Array;
  /** By slot, then text. */
  readonly figures: (TextFigures | undefined)[][];
  readonly errors: Map<number, { readonly from: number; readonly token: number }> = new Map();
  readonly kl = new ValueSketch();
  readonly #values: ValuesWriter;
  readonly #spikes: FileAppender;
  readonly #redact: boolean;

  private constructor(
    slots: readonly string[],
    layout: ValuesLayout,
    values: ValuesWriter,
    spikes: FileAppender,
    redact: boolean,
  ) {
    this.slots = slots;
    this.#redact = redact;
    this.layout = layout;
    this.spikeOffsets = new Float64Array((layout.tokenOffsets.length - 1) * slots.length * 2);
    this.figures = slots.map(() => []);
    this.#values = values;
    this.#spikes = spikes;
  }

  static async begin(
    directory: string,
    { policies, reference }: Manifest,
    texts: readonly PreparedText[],
    redact: boolean,
  ): Promise<StudyPass> {
    const slots = Object.keys(policies).filter((name) => name !== reference);
    const tokenOffsets = new Float64Array(texts.length + 1);
    texts.forEach(({ tokenIds }, at) => {
      tokenOffsets[at + 1] = tokenOffsets[at]! + tokenIds.length;
    });
    const layout = { slots: slots.length, tokenOffsets };
    const values = await ValuesWriter.create(join(directory, STUDY_FILES.values), layout);
    const spikes = await FileAppender.create(join(directory, STUDY_FILES.spikes));
    // So that no spike is at 0 to 0, which means none.
    spikes.append(new Uint8Array(1));
    return new StudyPass(slots, layout, values, spikes, redact);
  }

  async add({ checkpoint, scored, summary }: AnalyzedText): Promise<void> {
    const slot = this.slots.indexOf(checkpoint);
    const { index } = summary;
    const { p, q, pair, text } = scored;
    const missing = new Float32Array(text.tokenIds.length).fill(Number.NaN);
    const kl = Float32Array.from(pair.forwardKl ?? pair.forwardKlLower ?? missing);
    const delta = Float32Array.from(p.logprobs, (value, t) => value - q.logprobs[t]!);
    const entropy = Float32Array.from(p.entropies ?? missing);
    const reference = [Float32Array.from(q.logprobs), Float32Array.from(q.entropies ?? missing)];
    await this.#values.write(index, slot, [kl, delta, entropy], reference);
    this.kl.addAll(kl.filter((_, t) => text.mask[t] === 1));
    const bytes = Buffer.from(JSON.stringify(studySpikes(summary, this.#redact)));
    const place = 2 * (index * this.slots.length + slot);
    this.spikeOffsets[place] = this.#spikes.length;
    this.#spikes.append(bytes);
    this.spikeOffsets[place + 1] = this.#spikes.length;
    if (this.#spikes.isFull) await this.#spikes.drain();
    this.figures[slot]![index] = {
      meanKl: Number.isFinite(summary.meanKl) ? summary.meanKl : null,
      maxKl: Number.isFinite(summary.maxKl) ? summary.maxKl : null,
      spikes: summary.spikes.length,
    };
    if (summary.error !== undefined) {
      const { from, token } = summary.error;
      this.errors.set(index, { from, token });
    }
  }

  async close(): Promise<void> {
    await this.#values.close();
    await this.#spikes.close();
  }
}

/** @returns `[texts + 1]`, places in the file */
async function writeStoredTexts(
  path: string,
  texts: readonly PreparedText[],
  { errors }: StudyPass,
  categories: readonly (readonly number[])[],
): Promise<Float64Array> {
  const offsets = new Float64Array(texts.length + 1);
  const file = await FileAppender.create(path);
  try {
    for (const [index, text] of texts.entries()) {
      const stored: StoredText = {
        text: text.id,
        problem: text.problem,
        source: text.source ?? null,
        correct: text.correct ?? null,
        subject: text.subject ?? null,
        level: text.level ?? null,
        promptText: text.promptText ?? null,
        tokens: text.tokens,
        ids: [...text.tokenIds],
        mask: [...text.mask],
        categories: categories[index]!,
        error: errors.get(index) ?? null,
      };
      file.append(Buffer.from(JSON.stringify(stored)));
      offsets[index + 1] = file.length;
      if (file.isFull) await file.drain();
    }
  } finally {
    await file.close();
  }
  return offsets;
}

function ones(mask: Uint8Array): number {
  let count = 0;
  for (const value of mask) count += value;
  return count;
}
