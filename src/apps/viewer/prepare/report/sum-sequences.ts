/**
 * Sums over the cache's sequences, for a report and for groups of tokens.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import { spellEvents } from "../../../../analyses/assessment/index.ts";
import type { Doctor } from "../../../../analyses/doctor/index.ts";
import { RunSummary } from "../../../../analyses/report/index.ts";
import { TOKEN_FLAGS, tokenClass } from "../../../../core/base/index.ts";
import { turnMarks } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { MistakeEvents } from "../../../../results/events.ts";
import type { ShowPieceKind } from "../../../../results/show.ts";
import type { TopTokens } from "../../../../results/view.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { TokenPass } from "../pass/token-pass.ts";
import { type ShownTexts, tokenSums } from "../pass/top-tokens.ts";

/** The chosen tokens of a sequence. */
export interface ChosenTokens {
  /** 1 at the chosen tokens; the others do not count. */
  readonly mask: Uint8Array;
  /**
   * A mask whose runs of 1 are the turns: the sequence's own mask, so that turns keep their numbers, or the chosen
   * tokens.
   */
  readonly turnMask: Uint8Array;
}

export class SequenceSums {
  readonly summary = new RunSummary();
  readonly #pass = new TokenPass();
  readonly #texts = new SeenTexts();
  readonly #doctor: Doctor | undefined;

  /** @param doctor that sees the sequences too */
  constructor(doctor?: Doctor) {
    this.#doctor = doctor;
  }

  /** Adds the tokens with mask 1, or the chosen ones. */
  add(sequence: WireSequence, chosen?: ChosenTokens): void {
    const { ids, meta } = sequence;
    const batch = {
      ...batchOfSequence(sequence),
      ...(chosen && { responseMask: chosen.mask, turnMask: chosen.turnMask }),
    };
    this.#texts.see(sequence);
    this.summary.add(batch);
    this.#doctor?.add(batch);
    this.#pass.beginBatch(batch, meta.index);
    this.#pass.addRow({
      batch,
      row: 0,
      index: meta.index,
      turnMarks: chosen ? turnMarks(chosen.turnMask, 0, chosen.turnMask.length) : sequence.turnMarks,
      prompt: ids.subarray(0, meta.promptLength),
    });
  }

  groups(hasTexts: boolean): Omit<TopTokens, "occurrences" | "turns"> {
    const { occurrences: _, ...groups } = this.#pass.topTokens.finish(
      tokenSums(this.summary),
      this.#texts,
      hasTexts,
    );
    return groups;
  }

  /** Mistakes with the texts of their tokens, as far as these sequences have them. */
  spell(events: MistakeEvents): MistakeEvents {
    return spellEvents(events, this.#texts);
  }

  turns(hasTexts: boolean): TopTokens["turns"] {
    return this.#pass.topTurns.finish(this.#texts, hasTexts);
  }
}

/** The batch that is summed. */
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
    policyLogprobs: rest.policies,
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
    ...(rest.readAsMissing && { readAsMissing: rest.readAsMissing }),
    promptTexts: [undefined],
    responseTexts: [undefined],
  };
}

/** Texts of tokens as the sequences have them. */
class SeenTexts implements ShownTexts {
  readonly #known = new Map<number, { readonly bytes: Uint8Array; readonly flags: number }>();

  see({ ids, textOffsets, texts, flags }: WireSequence): void {
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]!;
      // A prompt that is known as text only has no id.
      if (id < 0 || this.#known.has(id)) continue;
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

  pieces(ids: ArrayLike<number>): { readonly text: string; readonly kind: ShowPieceKind }[] {
    const decoder = new TextDecoder();
    return Array.from(ids, (id) => {
      const { bytes, flags } = this.#of(id);
      const kind = (flags & TOKEN_FLAGS.special) === 0 ? "text" : "special";
      return { text: decoder.decode(bytes, { stream: true }), kind };
    });
  }

  textOf(id: number): string | null {
    return (this.#of(id).flags & TOKEN_FLAGS.unknown) === 0 ? this.nameOf(id) : null;
  }

  #of(id: number): { readonly bytes: Uint8Array; readonly flags: number } {
    return this.#known.get(id) ?? { bytes: Buffer.from(`#${id}`), flags: TOKEN_FLAGS.unknown };
  }
}
