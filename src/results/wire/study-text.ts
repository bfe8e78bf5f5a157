/**
 * One text of a study under every checkpoint. Arrays of length n have an entry per response token, `[c, n]` one row per
 * checkpoint. Missing is NaN; a divergence may be +inf.
 *
 * @module
 */
import { decodeArrays, encodeArrays } from "./arrays.ts";

export interface StudyTextMeta {
  /** Index in the study's list of texts. */
  readonly index: number;
  /** `q12`. */
  readonly handle: string;
  readonly text: string;
  readonly problem: string;
  readonly source: string | null;
  readonly correct: boolean | null;
  readonly subject: string | null;
  readonly level: number | null;
  readonly promptText: string | null;
  /** `[n]` */
  readonly tokens: readonly string[];
  /** Names of the kinds of token. */
  readonly categories: readonly string[];
  /** `[c]`, in training order. */
  readonly checkpoints: readonly string[];
  /** Response tokens from the one that announces the first error to the first wrong one; null if none is known. */
  readonly error: { readonly from: number; readonly token: number } | null;
  /** `[c]`: each checkpoint's own, in the order of the text. */
  readonly spikes: readonly (readonly StudySpike[])[];
}

export interface StudySpike {
  /** Response token. */
  readonly position: number;
  readonly kl: number;
  readonly zscore: number | null;
  readonly region: "early" | "mid" | "late";
  /** Of the forced token. */
  readonly probability: number | null;
  readonly reference_probability: number | null;
  /** The most probable tokens of the checkpoint and of the reference. */
  readonly alternatives: readonly StudyAlternative[];
  readonly reference_alternatives: readonly StudyAlternative[];
}

export interface StudyAlternative {
  readonly token: string;
  readonly token_id: number;
  readonly probability: number;
}

export interface WireStudyText {
  readonly meta: StudyTextMeta;
  /** `[n]` */
  readonly ids: Int32Array;
  /** `[n]`: 1 = the policy's own token, 0 = tool output. */
  readonly mask: Uint8Array;
  /** `[n]`, into `meta.categories`. */
  readonly categories: Uint16Array;
  /** `[c, n]`: D(checkpoint‖reference), nats; its lower bound if only top-k lists are known. */
  readonly kl: Float32Array;
  /** `[c, n]`: log p_checkpoint − log p_reference of the forced token. */
  readonly delta: Float32Array;
  /** `[c, n]`, nats. */
  readonly entropy: Float32Array;
  /** `[n]` */
  readonly referenceLogprob: Float32Array;
  readonly referenceEntropy: Float32Array;
}

export function encodeStudyText({ meta, ...arrays }: WireStudyText): Uint8Array {
  return encodeArrays(meta, arrays);
}

/** @throws FormatError */
export function decodeStudyText(bytes: Uint8Array): WireStudyText {
  const { meta, arrays } = decodeArrays<StudyTextMeta>(bytes);
  return { ...(arrays as unknown as Omit<WireStudyText, "meta">), meta };
}
