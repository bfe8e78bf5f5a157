import { TOKEN_FLAGS } from "../../core/base/index.ts";
import type { ShowPiece, ShowPieceKind } from "../../results/show.ts";

/** A token as displayed, with its own bytes: if tokens share a character, each has a part of it. */
export interface SpelledPiece extends Omit<ShowPiece, "id"> {
  readonly bytes: Uint8Array;
}

/** Converts token ids to displayed text, with any tokenizer or none. */
export interface Speller {
  /** One piece per id; their texts joined are the decoded text. */
  pieces(ids: ArrayLike<number>): readonly SpelledPiece[];
  /** The text of a single token; null if no tokenizer knows it. */
  textOf(id: number): string | null;
}

/** The part of `TokenTexts` that is used here. */
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
