/**
 * Digits by token text, for sources that name tokens by text instead of id.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import { type DigitIds, type DigitVocabulary, type NumberToken, parseNumberToken } from "./vocabulary.ts";

const NO_IDS: DigitIds = Array.from({ length: 10 }, () => []);
/** -1 means that an id is missing. */
const FIRST_ID = -2;

/**
 * A vocabulary that grows with the token texts of a source. These get negative ids, distinct from those of a tokenizer,
 * whose vocabulary still applies to sequences with ids.
 */
export class TextVocabulary implements DigitVocabulary {
  readonly tokens: Map<number, NumberToken>;
  readonly bare: DigitIds;
  readonly spaced: DigitIds;
  readonly textOf: (id: number) => string;
  multiDigitEntries: number;
  longestEntry: number;
  readonly #texts: string[] = [];
  readonly #ids = new Map<string, number>();

  /** @param known the vocabulary of the tokenizer; undefined without one */
  constructor(known?: DigitVocabulary) {
    this.tokens = new Map(known?.tokens);
    this.bare = known?.bare ?? NO_IDS;
    this.spaced = known?.spaced ?? NO_IDS;
    this.multiDigitEntries = known?.multiDigitEntries ?? 0;
    this.longestEntry = known?.longestEntry ?? 0;
    this.textOf = (id) => (id <= FIRST_ID ? this.#texts[FIRST_ID - id]! : (known?.textOf?.(id) ?? ""));
  }

  #takeId(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = FIRST_ID - this.#texts.length;
    this.#texts.push(text);
    this.#ids.set(text, id);
    const token = parseNumberToken(text);
    if (token !== undefined) {
      this.tokens.set(id, token);
      this.longestEntry = Math.max(this.longestEntry, token.digits.length);
      if (token.digits.length > 1) this.multiDigitEntries++;
    }
    return id;
  }

  /** Whether any token was found by its text. */
  get isUsed(): boolean {
    return this.#texts.length > 0;
  }

  /** The batch with ids for tokens that have only a text; unchanged if some texts are missing. */
  nameTokens(batch: RecordBatch): RecordBatch {
    const { tokenTexts, offsets, length, responseTokenIds: known } = batch;
    if (tokenTexts === undefined || (known === undefined && !hasTokenTexts(batch))) return batch;
    const responseTokenIds = known?.slice() ?? new Int32Array(offsets[length]!);
    for (const [row, texts] of tokenTexts.entries())
      for (const [t, text] of (texts ?? []).entries())
        responseTokenIds[offsets[row]! + t] = this.#takeId(spellMarkers(text));
    return { ...batch, responseTokenIds };
  }
}

/** Whether every token of a batch has a text. */
export function hasTokenTexts({ tokenTexts, offsets, length }: RecordBatch): boolean {
  if (tokenTexts === undefined) return false;
  for (let row = 0; row < length; row++)
    if ((tokenTexts[row]?.length ?? 0) !== offsets[row + 1]! - offsets[row]!) return false;
  return true;
}

/** Decodes vocabulary entries as some servers write them: `▁7` and `Ġ7` for " 7", `<0x37>` for "7". */
function spellMarkers(text: string): string {
  const byte = /^<0x(3[0-9])>$/.exec(text)?.[1];
  return byte === undefined ? text.replace(/^[▁Ġ]/, " ") : String.fromCharCode(Number.parseInt(byte, 16));
}
