/** Bits of a token's flags. */
export const TOKEN_FLAGS = {
  special: 1,
  /** The token begins inside a character that an earlier token began. */
  continuation: 2,
  digit: 4,
  /** The token has no known text, and is shown as `#id`. */
  unknown: 8,
} as const;

/** The class of a token by its text. */
export const TOKEN_CLASSES = ["number", "word", "punctuation", "space", "special", "other"] as const;
export type TokenClass = (typeof TOKEN_CLASSES)[number];

/** @param flags bits of {@link TOKEN_FLAGS} */
export function tokenClass(text: string, flags: number): TokenClass {
  if ((flags & TOKEN_FLAGS.special) !== 0) return "special";
  if ((flags & TOKEN_FLAGS.digit) !== 0) return "number";
  if ((flags & TOKEN_FLAGS.unknown) !== 0) return "other";
  if (/^\s+$/.test(text)) return "space";
  if (/^\s*[\p{L}\p{M}]+\s*$/u.test(text)) return "word";
  if (/^\s*[\p{P}\p{S}]+\s*$/u.test(text)) return "punctuation";
  return "other";
}
