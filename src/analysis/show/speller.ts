import type { ShowPiece } from "../../protocol/show.ts";

/** Token ids to what is shown of them, by whatever tokenizer, or none. */
export interface Speller {
  /** One piece per id; joined, their texts are the decoded text. */
  pieces(ids: ArrayLike<number>): readonly Omit<ShowPiece, "id">[];
  /** Of a token by itself; null where no tokenizer knows it. */
  textOf(id: number): string | null;
}
