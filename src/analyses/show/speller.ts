import type { ShowPiece } from "../../results/index.ts";

/** A token as it is shown, with its own bytes: of a character that tokens share each has a part. */
export interface SpelledPiece extends Omit<ShowPiece, "id"> {
  readonly bytes: Uint8Array;
}

/** Token ids to what is shown of them, by whatever tokenizer, or none. */
export interface Speller {
  /** One piece per id; joined, their texts are the decoded text. */
  pieces(ids: ArrayLike<number>): readonly SpelledPiece[];
  /** What a token is called by itself; null where no tokenizer knows it. */
  textOf(id: number): string | null;
}
