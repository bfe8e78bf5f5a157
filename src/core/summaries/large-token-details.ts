import { type Codec, listOf, nullable, recordOf, SIGNED, TEXT, WHOLE, writtenAs } from "../base/codec.ts";

/** Tokens of the response kept before a large token, and after it. */
export const IDS_BEFORE = 32;
export const IDS_AFTER = 16;
/** How much is kept of a prompt: ids, or UTF-16 units of its text. */
export const PROMPT_IDS = 200;
export const PROMPT_TEXT = 800;
/** How many of a policy's most probable tokens are kept. */
export const CANDIDATES = 5;

/** A policy's most probable tokens, likeliest first; log-probs in nats. */
export interface Candidates {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

/** What surrounds a large token. */
export interface LargeTokenDetails {
  /** Ids of the response before the token, and after it; -1 unknown, empty if the source has none. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** The last ids of the prompt. */
  readonly promptIds: readonly number[];
  /** Tokens of the whole prompt. */
  readonly promptLength: number;
  /** The end of the prompt, if the source has it as text. */
  readonly promptText: string | null;
  /** Texts of the tokens before, of the token and of those after, if the source has tokens by text. */
  readonly texts: readonly [before: string, token: string, after: string] | null;
  readonly rollout: Candidates | null;
  readonly trainer: Candidates | null;
}

const IDS = listOf(SIGNED);

/** The log-probs have no count of their own, since each id has one; no candidates are read as null. */
const CANDIDATES_OR_NULL: Codec<Candidates | null> = {
  text: "ids with a number each, or none",
  write(candidates, to) {
    IDS.write(candidates?.ids ?? [], to);
    to.floats(candidates?.logprobs ?? []);
  },
  read(from) {
    const ids = IDS.read(from);
    return ids.length === 0 ? null : { ids, logprobs: [...from.floats(ids.length)] };
  },
};

type Texts = NonNullable<LargeTokenDetails["texts"]>;

export const DETAILS = recordOf<LargeTokenDetails>({
  before: IDS,
  after: IDS,
  promptIds: IDS,
  promptLength: WHOLE,
  promptText: nullable(TEXT),
  texts: writtenAs(
    listOf(TEXT),
    (texts) => texts ?? [],
    (texts) => (texts.length < 3 ? null : (texts as Texts)),
  ),
  rollout: CANDIDATES_OR_NULL,
  trainer: CANDIDATES_OR_NULL,
});
