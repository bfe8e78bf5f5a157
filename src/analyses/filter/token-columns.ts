/**
 * What filters see of one sequence's response tokens, whatever the source.
 *
 * @module
 */
import { TOKEN_FLAGS } from "../../core/base/index.ts";
import type { WireSequence } from "../../results/wire/sequence.ts";
import { textBetween } from "../../results/wire/sequence-text.ts";

/** `[length]` each; NaN, an id of -1, or an absent column means missing. */
export interface TokenColumns {
  readonly length: number;
  /** 0 for tokens that are not the policy's own. */
  readonly mask: ArrayLike<number>;
  /** Log-probs, nats. */
  readonly rollout: ArrayLike<number>;
  readonly trainer: ArrayLike<number>;
  /** As computed by `kernels/turns.ts`. */
  readonly turnMarks: ArrayLike<number>;
  /** The trainer policy's, else the rollout policy's, in nats. */
  readonly entropy?: ArrayLike<number>;
  readonly advantages?: ArrayLike<number>;
  readonly ids?: ArrayLike<number>;
  /** Absent if texts are not known. */
  readonly texts?: TokenTextColumn;
}

/** Texts of response tokens, for terms that ask for them. */
export interface TokenTextColumn {
  /** Undefined if no tokenizer knows the token. */
  textAt(token: number): string | undefined;
  /** Bits of `TOKEN_FLAGS`. */
  flagsAt(token: number): number;
}

/**
 * The tokens of a sequence of the viewer.
 *
 * @param hasTexts `RunInfo.has.texts`: if false, the texts are ids
 */
export function tokensOfWire(sequence: WireSequence, hasTexts = true): TokenColumns {
  const { meta, ids, mask, turnMarks, rollout, trainer, advantages } = sequence;
  const entropy = sequence.trainerEntropy ?? sequence.rolloutEntropy;
  return {
    length: mask.length,
    mask,
    rollout,
    trainer,
    turnMarks,
    ids: ids.subarray(meta.promptLength),
    ...(entropy && { entropy }),
    ...(advantages && { advantages }),
    ...(hasTexts && { texts: spelledTexts(sequence, meta.promptLength) }),
  };
}

/** Texts as they follow one another, from token `first` on. */
export function spelledTexts(
  spelled: Pick<WireSequence, "textOffsets" | "texts" | "flags">,
  first: number,
): TokenTextColumn {
  const { flags } = spelled;
  return {
    textAt(token) {
      const at = first + token;
      if ((flags[at]! & TOKEN_FLAGS.unknown) !== 0) return undefined;
      return textBetween(spelled, at, at + 1);
    },
    flagsAt: (token) => flags[first + token]!,
  };
}
