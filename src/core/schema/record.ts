/**
 * The record: the result of every reader and the start of everything else. One row per sequence, columns as flat typed
 * arrays with row offsets (packed), so padding is gone.
 *
 * Per-token columns cover the *response* and are aligned with `responseTokenIds`: entry t is about response token t
 * (log-probs score that token; a source in next-token alignment is shifted by its adapter). Missing is missing: NaN in
 * a float column, an absent column, -1 in an id column; never 0.
 *
 * @module
 */
import type { FloatArray } from "../base/arrays.ts";
import type { SequenceIndex, TokenIndex } from "../base/units.ts";

/** Top-k alternatives of a policy at each response token: row-major `[tokens, k]`, most probable first. */
export interface TopK {
  /** Alternatives per position. */
  readonly k: number;
  /** -1 when the source has fewer. */
  readonly ids: Int32Array;
  /** Nats; NaN where the id is -1. */
  readonly logprobs: Float32Array;
}

/** Sides of {@link RecordBatch.readAsMissing}: a placeholder such as -9999, a positive number, or none after a shift. */
export const READ_AS_MISSING = { rollout: 1, trainer: 2 } as const;

/** Numbers per token of {@link RecordBatch.digitLogprobs}. */
export const DIGITS = 10;

/** Sampling parameters of the rollout engine; NaN or undefined when the source does not say. */
export interface Sampling {
  /** Softmax temperature, without unit; 1 leaves logits as they are. */
  readonly temperature?: number;
  /** Nucleus: the fraction of probability kept; 1 keeps all. */
  readonly topP?: number;
  /** Count of most probable tokens kept; 0 or -1 keeps all. */
  readonly topK?: number;
  /** Tokens less probable than this share of the most probable one were not sampled. */
  readonly minP?: number;
  /** Divisor of logits of tokens that occurred; 1 changes nothing. */
  readonly repetitionPenalty?: number;
  /** Subtracted from logits of tokens that occurred; 0 changes nothing. */
  readonly presencePenalty?: number;
  /** Subtracted from a token's logit for each time that it occurred; 0 changes nothing. */
  readonly frequencyPenalty?: number;
  /** For instance vLLM's `raw_logprobs` or `processed_logprobs`. */
  readonly logprobsMode?: string;
}

/** What one side ran on. Digests are the writer's own: equal ones mean the same thing, whatever they digest. */
export interface SideFacts {
  /** Program and version: `vllm 0.11.0`. */
  readonly software?: string;
  /** Digest or name of the weights. */
  readonly weights?: string;
  /** Digest of the configuration. */
  readonly config?: string;
  /** Parallel layout of the model: `tp4 ep8`. */
  readonly topology?: string;
  /** Number type of the weights: `bfloat16`, `fp8`. */
  readonly precision?: string;
}

/** Known facts about the two sides. */
export interface Sides {
  readonly rollout?: SideFacts;
  readonly trainer?: SideFacts;
}

/** Where a batch came from and what its adapter did to it. */
export interface Provenance {
  /** The path, as it was given or found. */
  readonly file: string;
  /** The file format: `npz`, `jsonl`, …. */
  readonly format: string;
  /** Adapter name, for instance `verl` or `prime-rl`. */
  readonly trainer: string;
  /** `token`: entry t scores token t in the source; `next-token`: it scored token t + 1 and was shifted. */
  readonly alignment: "token" | "next-token";
  /** Columns of the source whose masks were combined into `responseMask`, if it has several or one under a name. */
  readonly masks?: readonly string[];
  /** By how many entries the trainer's column was moved on request: entry t + shift of the source is token t. */
  readonly shift?: number;
}

/** `[length]` each: positions in a padded `[B, T]` array, or in the flat `[N]` array of each pack. */
export interface ArrayPlaces {
  readonly layout: "padded" | "packed";
  /** Position of response token 0: the column in its row, or the index in its pack. */
  readonly starts: Int32Array;
  /** T, or the N of the sequence's pack. */
  readonly widths: Int32Array;
}

/**
 * Per-token values beyond the record's own columns. Kept on request, for the log of divergent tokens; no figure needs
 * them.
 */
export interface SourceDetails {
  /** Value of the source's attention mask at each response token; -1 unknown. */
  readonly attention?: Int32Array;
  /** The id that the trainer got at each response token, if the source has ids twice; -1 unknown. */
  readonly inputTokenIds?: Int32Array;
  /** Reward of each response token; NaN unknown. */
  readonly tokenRewards?: Float32Array;
  /** `[length]` each, by the attention mask: columns before the response, and how many of them are padding; -1 unknown. */
  readonly promptWidths: Int32Array;
  readonly promptPadding: Int32Array;
}

/** A run of sequences of one file, in file order. All arrays are packed. */
export interface RecordBatch {
  /** Sequences of the batch. */
  readonly length: number;
  /** Where all sequences of the batch come from. */
  readonly provenance: Provenance;
  /** Sampling parameters common to the batch. */
  readonly sampling: Sampling;
  /** Common to the batch; absent when nothing is known about either side. */
  readonly sides?: Sides;

  /** `[length + 1]`: sequence i holds response tokens `[offsets[i], offsets[i + 1])`. */
  readonly offsets: Int32Array;
  /** 1 = sampled by the policy, 0 = tool output, template, environment. */
  readonly responseMask: Uint8Array;
  /**
   * 1 in turns, if `responseMask` is 1 only at some of their tokens (chosen by a filter); when absent, turns are runs of
   * `responseMask`. Not part of any file.
   */
  readonly turnMask?: Uint8Array;
  /**
   * Bits of {@link READ_AS_MISSING}: the side's log-prob is missing because reading removed it, and is not NaN in the
   * source. Absent if there is no such token. Not part of any file.
   */
  readonly readAsMissing?: Uint8Array;
  /**
   * A side's log-probs as written in its source, if reading made some of them missing: placeholders and positive
   * numbers show what went wrong. Not part of any file.
   */
  readonly asWritten?: Readonly<Partial<Record<keyof typeof READ_AS_MISSING, FloatArray>>>;
  /** Log-prob of the sampled token under the rollout policy, nats. */
  readonly rolloutLogprobs?: FloatArray;
  /** Log-prob of the same token under the trainer policy before the update, nats. */
  readonly trainerLogprobs?: FloatArray;
  /** `[tokens]` vocabulary ids of the response. */
  readonly responseTokenIds?: Int32Array;
  /** Further policies (`reference`, a checkpoint, a re-scored rollout) by name. */
  readonly policyLogprobs: Readonly<Record<string, FloatArray>>;
  /** Entropy of a policy's next-token distribution, nats, by policy name (`rollout`, `trainer`, …). */
  readonly entropies: Readonly<Record<string, FloatArray>>;
  /** Most probable tokens of a policy at each position, by policy name. */
  readonly topK: Readonly<Record<string, TopK>>;
  /** `[tokens, 10]` row-major: log-probs of the digits 0 to 9 at each token, nats; NaN where none was recorded. */
  readonly digitLogprobs?: FloatArray;
  /** `[tokens]` advantages, without unit; NaN = missing. */
  readonly advantages?: Float32Array;
  /** `[tokens]` position ids that the trainer gave the model. */
  readonly positionIds?: Int32Array;
  /** Version of the weights that sampled each token. */
  readonly weightVersions?: Int32Array;
  /** Share of the probability that the sampler's filters (top-p, top-k, min-p) kept at each token, a fraction. */
  readonly keptMass?: Float32Array;
  /** Share of experts that both sides' routers chose at each token, over all layers, a fraction. */
  readonly routeAgreement?: Float32Array;
  /** Not part of any file that logratio writes. */
  readonly details?: SourceDetails;

  /** `[length + 1]`: sequence i has prompt tokens `[promptOffsets[i], promptOffsets[i + 1])`. */
  readonly promptOffsets?: Int32Array;
  /** The prompt as the rollout engine got it, if the sides differ. */
  readonly promptTokenIds?: Int32Array;
  /** `[length + 1]`, like `promptOffsets`, into `trainerPromptTokenIds`. */
  readonly trainerPromptOffsets?: Int32Array;
  /** The prompt as the trainer scored it; absent when only one side's is known. */
  readonly trainerPromptTokenIds?: Int32Array;

  /** `[length]` each; NaN = the source does not say. */
  readonly steps: Float64Array;
  /** Data-parallel rank of each sequence; NaN = unknown. */
  readonly ranks: Float64Array;
  /** Row in the source batch or file. */
  readonly rows: Int32Array;
  /** Which pack or batch within the file the sequence belonged to (xtuner packs; 0 where a file is one batch). */
  readonly packs: Int32Array;
  /** Reward of each sequence, in the task's own unit; NaN = unknown. */
  readonly rewards: Float64Array;
  /** 1 right, 0 wrong, NaN unknown. */
  readonly correctness: Float64Array;
  /** Byte offset (or line number in text files) of the row in its file, -1 when unknown. */
  readonly sourceOffsets: Float64Array;
  /** Positions of sequences in the source's log-prob array; absent when the source has one list per sequence. */
  readonly arrays?: ArrayPlaces;
  /** `[length]` the source's own names of samples. */
  readonly sampleIds: readonly (string | undefined)[];
  /** `[length]` prompt groups: samples of one prompt share one. */
  readonly groupIds: readonly (string | undefined)[];
  /** `[length]` names of environments or data sources. */
  readonly environments: readonly (string | undefined)[];
  /** Why the engine stopped: `stop`, `length`, `abort`, …. Absent if no sequence of the batch says. */
  readonly finishReasons?: readonly (string | undefined)[];
  /** Which engine or replica sampled the sequence. Absent if no sequence of the batch says. */
  readonly engineIds?: readonly (string | undefined)[];
  /**
   * Which recorder object wrote the sequence, 32 hexadecimal digits: two recorders of one rank are two runs, or one
   * that was resumed. Absent if no sequence of the batch says.
   */
  readonly recorders?: readonly (string | undefined)[];
  /** Prompt tokens that the engine took from its prefix cache; NaN = unknown, absent if no sequence says. */
  readonly cachedTokens?: Float64Array;
  /** `[length]` prompts as text, if the source has it. */
  readonly promptTexts: readonly (string | undefined)[];
  /** `[length]` responses as text, if the source has it. */
  readonly responseTexts: readonly (string | undefined)[];
  /**
   * `[length]` the text of each response token, for sequences whose source names tokens by text instead of id. Absent
   * if there are none. Not on disk.
   */
  readonly tokenTexts?: readonly (readonly string[] | undefined)[];
}

/** The parts of a handle such as `s12.r3.q41.t880`. */
export interface Handle {
  /** Training step; absent when the source names none. */
  readonly step?: number;
  /** Data-parallel rank; absent when the source names none. */
  readonly rank?: number;
  /** Row in its batch or file, counted from 0. */
  readonly sequence: SequenceIndex;
  /** Response token, counted from 0; absent for the whole sequence. */
  readonly token?: TokenIndex;
}

/** `s12.r3.q41.t880`; unknown parts are left out. */
export function formatHandle(handle: Handle): string {
  const known = (letter: string, value: number | undefined): string[] =>
    value === undefined || Number.isNaN(value) ? [] : [`${letter}${value}`];
  return [
    ...known("s", handle.step),
    ...known("r", handle.rank),
    `q${handle.sequence}`,
    ...known("t", handle.token),
  ].join(".");
}

/** What {@link formatHandle} writes, as part of a pattern: its groups are step, rank, sequence, token. */
export const HANDLE_PATTERN = String.raw`(?:s(-?\d{1,15})\.)?(?:r(\d{1,15})\.)?q(\d{1,15})(?:\.t(\d{1,15}))?`;
const HANDLE = new RegExp(`^${HANDLE_PATTERN}$`);

/** Undefined when the text is not a handle. */
export function readHandle(text: string): Handle | undefined {
  const [, step, rank, sequence, token] = HANDLE.exec(text) ?? [];
  if (sequence === undefined) return undefined;
  return {
    sequence: Number(sequence),
    ...(step !== undefined && { step: Number(step) }),
    ...(rank !== undefined && { rank: Number(rank) }),
    ...(token !== undefined && { token: Number(token) }),
  };
}
