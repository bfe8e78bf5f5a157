import { TOKEN_FLAGS } from "../../core/base/index.ts";
import type { ShowPiece, ShowPieceKind } from "../../results/show.ts";

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

/** What `TokenTexts` says of ids. */
interface Texts {
  pieces(
    ids: ArrayLike<number>,
  ): readonly { readonly text: string; readonly bytes: Uint8Array; readonly flags: number }[];
  nameOf(id: number): string;
}

export function makeSpeller(texts: Texts): Speller {
  return {
    pieces: (ids) =>
      texts.pieces(ids).map(({ text, bytes, flags }) => ({ text, bytes, kind: classifyPiece(flags) })),
    textOf: (id) => {
      const [piece] = texts.pieces([id]);
      return piece === undefined || (piece.flags & TOKEN_FLAGS.unknown) !== 0 ? null : texts.nameOf(id);
    },
  };
}

function classifyPiece(flags: number): ShowPieceKind {
  if ((flags & TOKEN_FLAGS.continuation) !== 0) return "continuation";
  if ((flags & TOKEN_FLAGS.unknown) !== 0) return "id";
  return (flags & TOKEN_FLAGS.special) === 0 ? "text" : "special";
}
