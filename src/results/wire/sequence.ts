/**
 * One sequence for the token strip. Prompt tokens come first, then the response; arrays of length n are about response
 * tokens only. Missing is NaN, an absent array, or -1 in an id.
 *
 * @module
 */
import { dictionary, IdSpeller } from "../../core/base/index.ts";
import { decodeArrays, encodeArrays, type RoomFor, type WireArray } from "./arrays.ts";

export interface SequenceMeta {
  /** Index in the run's table of sequences. */
  readonly index: number;
  /** `s12.r3.q41`. */
  readonly handle: string;
  readonly step: number | null;
  readonly rank: number | null;
  readonly row: number;
  readonly sample: string | null;
  readonly group: string | null;
  readonly environment: string | null;
  readonly engine: string | null;
  /** Why the engine stopped. */
  readonly finish: string | null;
  readonly reward: number | null;
  /** 1 right, 0 wrong. */
  readonly correct: number | null;
  readonly file: string;
  readonly promptLength: number;
}

export interface WireSequence {
  readonly meta: SequenceMeta;
  /** `[p + n]` */
  readonly ids: Int32Array;
  /** `[p + n + 1]`, into `texts`. */
  readonly textOffsets: Uint32Array;
  /** The tokens' own bytes: UTF-8 if they spell text, which single tokens need not. See `textBetween`. */
  readonly texts: Uint8Array;
  /** `[p + n]`, bits of {@link TOKEN_FLAGS}. */
  readonly flags: Uint8Array;
  /** `[n]`: 1 = the policy's own token. */
  readonly mask: Uint8Array;
  /** `[n]`, as computed by `kernels/turns.ts`; its `turnOfMark` reads them. */
  readonly turnMarks: Uint16Array;
  /** `[n]`, nats. */
  readonly rollout: Float32Array;
  readonly trainer: Float32Array;
  readonly rolloutEntropy?: Float32Array;
  readonly trainerEntropy?: Float32Array;
  readonly advantages?: Float32Array;
  readonly weightVersions?: Int32Array;
  /** `[n]`, bits of `READ_AS_MISSING` (`core/schema`). */
  readonly readAsMissing?: Uint8Array;
  /** Further policies' log-probs by name. */
  readonly policies: Readonly<Record<string, Float32Array>>;
}

/** How tokens are spelled. */
type Spelling = Pick<WireSequence, "textOffsets" | "texts" | "flags">;

/** A sequence to send: without spelling, its tokens are shown as ids, which the receiver spells. */
export type UnspelledSequence = Omit<WireSequence, keyof Spelling> & Partial<Spelling>;

export function isSpelled(sequence: UnspelledSequence): sequence is WireSequence {
  return sequence.textOffsets !== undefined;
}

const POLICY = "policy:";

/** @param roomFor where the message is built */
export function encodeSequence(
  { meta, policies, ...arrays }: UnspelledSequence,
  roomFor?: RoomFor,
): Uint8Array {
  const named = Object.fromEntries(Object.entries(policies).map(([name, values]) => [POLICY + name, values]));
  const all = Object.entries({ ...arrays, ...named }).filter(([, values]) => values !== undefined);
  return encodeArrays(meta, Object.fromEntries(all) as Record<string, WireArray>, roomFor);
}

/** @throws FormatError */
export function decodeSequence(bytes: Uint8Array): WireSequence {
  const { meta, arrays } = decodeArrays<SequenceMeta>(bytes);
  const policies = dictionary<Float32Array>();
  const own: Record<string, WireArray> = {};
  for (const [name, values] of Object.entries(arrays)) {
    if (name.startsWith(POLICY)) policies[name.slice(POLICY.length)] = values as Float32Array;
    else own[name] = values;
  }
  const sequence = { ...own, meta, policies } as unknown as UnspelledSequence;
  return isSpelled(sequence) ? sequence : spelledLater(sequence);
}

const ids = new IdSpeller();

/** Spells the tokens on first use of a text: most readers of a sequence only want its numbers. */
function spelledLater(sequence: UnspelledSequence): WireSequence {
  let known: Spelling | undefined;
  const spelling = (): Spelling => {
    if (known !== undefined) return known;
    const { offsets, texts, flags } = ids.spell(sequence.ids);
    known = { textOffsets: offsets.slice(), texts: texts.slice(), flags: flags.slice() };
    return known;
  };
  return {
    ...sequence,
    get textOffsets() {
      return spelling().textOffsets;
    },
    get texts() {
      return spelling().texts;
    },
    get flags() {
      return spelling().flags;
    },
  };
}

/** Most probable tokens of both policies at some tokens, requested on demand. */
export interface WireTopK {
  /** First response token, and how many. */
  readonly from: number;
  readonly count: number;
  /** By policy (`rollout`, `trainer`, …): `[count, k]` each, most probable first; -1 if there are fewer. */
  readonly policies: Readonly<
    Record<string, { readonly k: number; readonly ids: Int32Array; readonly logprobs: Float32Array }>
  >;
  /** Texts of the ids that occur. */
  readonly texts: ReadonlyMap<number, string>;
}

interface TopKMeta {
  readonly from: number;
  readonly count: number;
  readonly k: Readonly<Record<string, number>>;
  readonly texts: readonly (readonly [number, string])[];
}

export function encodeTopK({ from, count, policies, texts }: WireTopK): Uint8Array {
  const entries = Object.entries(policies);
  const meta: TopKMeta = {
    from,
    count,
    k: Object.fromEntries(entries.map(([name, { k }]) => [name, k])),
    texts: [...texts],
  };
  const arrays = entries.flatMap(([name, { ids, logprobs }]): [string, WireArray][] => [
    [`ids:${name}`, ids],
    [`logprobs:${name}`, logprobs],
  ]);
  return encodeArrays(meta, Object.fromEntries(arrays));
}

/** @throws FormatError */
export function decodeTopK(bytes: Uint8Array): WireTopK {
  const { meta, arrays } = decodeArrays<TopKMeta>(bytes);
  return {
    from: meta.from,
    count: meta.count,
    policies: Object.fromEntries(
      Object.entries(meta.k).map(([name, k]) => [
        name,
        { k, ids: arrays[`ids:${name}`] as Int32Array, logprobs: arrays[`logprobs:${name}`] as Float32Array },
      ]),
    ),
    texts: new Map(meta.texts),
  };
}
