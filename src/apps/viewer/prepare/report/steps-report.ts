/**
 * The report over some steps of a run: summed again from the cache's sequences, which have all that it is made of.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import { buildReport, RunSummary } from "../../../../analyses/report/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { MismatchReport, TopTokens } from "../../../../results/index.ts";
import { TOKEN_FLAGS, tokenClass, type WireSequence } from "../../../../results/wire/index.ts";
import { TokenPass } from "../pass/token-pass.ts";
import type { ShownTexts } from "../pass/top-tokens.ts";

/** Without the tokens that are furthest apart one by one, which a filter on steps gives. */
export interface StepsReport {
  readonly report: MismatchReport;
  readonly top: Omit<TopTokens, "occurrences">;
}

export interface StepsOf {
  /** Of the whole run. */
  readonly whole: MismatchReport;
  readonly paths: readonly string[];
  /** With which these steps alone are read. */
  readonly flags: readonly string[];
  readonly hasTexts: boolean;
}

/** Undefined where no token can be compared. Numbers of double precision are those of the cache: single. */
export async function stepsReport(
  sequences: AsyncIterable<WireSequence>,
  { whole, paths, flags, hasTexts }: StepsOf,
): Promise<StepsReport | undefined> {
  const summary = new RunSummary();
  const pass = new TokenPass();
  const texts = new SeenTexts();
  for await (const sequence of sequences) {
    const { ids, meta, turnMarks } = sequence;
    const batch = batchOfSequence(sequence);
    texts.see(sequence);
    summary.add(batch);
    const prompt = ids.subarray(0, meta.promptLength);
    pass.addRow({ batch, row: 0, index: meta.index, turnMarks, prompt });
  }
  if (summary.sequencesByFile.size === 0) return undefined;
  const report = buildReport({
    run: whole.run,
    paths,
    flags,
    summary,
    parity: [],
    findings: whole.findings,
    sources: whole.sources
      .filter(({ file }) => summary.sequencesByFile.has(file))
      .map(({ sequences: _, ...source }) => source),
  });
  if (report.metrics.tokens === 0) return undefined;
  const { occurrences: _, ...groups } = pass.topTokens.finish(summary, texts, hasTexts);
  return { report, top: { ...groups, turns: pass.topTurns.finish(texts, hasTexts) } };
}

/** What sums are made of. */
function batchOfSequence({ meta, ids, mask, rollout, trainer, ...rest }: WireSequence): RecordBatch {
  const { rolloutEntropy, trainerEntropy } = rest;
  const number = (value: number | null): Float64Array => Float64Array.of(value ?? Number.NaN);
  return {
    length: 1,
    provenance: { file: meta.file, format: "", trainer: "", alignment: "token" },
    sampling: {},
    offsets: Int32Array.of(0, mask.length),
    responseMask: mask,
    rolloutLogprobs: rollout,
    trainerLogprobs: trainer,
    responseTokenIds: ids.subarray(meta.promptLength),
    promptOffsets: Int32Array.of(0, meta.promptLength),
    promptTokenIds: ids.subarray(0, meta.promptLength),
    policyLogprobs: {},
    entropies: {
      ...(rolloutEntropy && { rollout: rolloutEntropy }),
      ...(trainerEntropy && { trainer: trainerEntropy }),
    },
    topK: {},
    steps: number(meta.step),
    ranks: number(meta.rank),
    rows: Int32Array.of(meta.row),
    packs: Int32Array.of(0),
    rewards: number(meta.reward),
    correctness: number(meta.correct),
    sourceOffsets: Float64Array.of(-1),
    sampleIds: [undefined],
    groupIds: [meta.group ?? undefined],
    environments: [meta.environment ?? undefined],
    engineIds: [meta.engine ?? undefined],
    finishReasons: [meta.finish ?? undefined],
    ...(rest.advantages && { advantages: rest.advantages }),
    ...(rest.weightVersions && { weightVersions: rest.weightVersions }),
    promptTexts: [undefined],
    responseTexts: [undefined],
  };
}

/** Texts of tokens as the sequences have them. */
class SeenTexts implements ShownTexts {
  readonly #known = new Map<number, { readonly bytes: Uint8Array; readonly flags: number }>();

  see({ meta, ids, textOffsets, texts, flags }: WireSequence): void {
    for (let at = meta.promptLength; at < ids.length; at++) {
      const id = ids[at]!;
      if (this.#known.has(id)) continue;
      const bytes = texts.slice(textOffsets[at], textOffsets[at + 1]);
      this.#known.set(id, { bytes, flags: flags[at]! & ~TOKEN_FLAGS.continuation });
    }
  }

  nameOf(id: number): string {
    const { bytes } = this.#of(id);
    if (isUtf8(bytes)) return Buffer.from(bytes).toString();
    return `‹${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")}›`;
  }

  classOf(id: number): ReturnType<ShownTexts["classOf"]> {
    const { bytes, flags } = this.#of(id);
    return tokenClass(Buffer.from(bytes).toString(), flags);
  }

  pieces(ids: ArrayLike<number>): { readonly text: string }[] {
    const decoder = new TextDecoder();
    return Array.from(ids, (id) => ({ text: decoder.decode(this.#of(id).bytes, { stream: true }) }));
  }

  #of(id: number): { readonly bytes: Uint8Array; readonly flags: number } {
    return this.#known.get(id) ?? { bytes: Buffer.from(`#${id}`), flags: TOKEN_FLAGS.unknown };
  }
}
