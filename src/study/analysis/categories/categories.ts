/**
 * Kinds of tokens, by their text.
 *
 * The seven built-in ones, with their words, patterns and order, are RL-Probe's (src/analysis/token_classifier.py,
 * commit 324de8ce); texts are trimmed, lowered and matched as Python does.
 *
 * @module
 */

/** A kind of token: its trimmed text is one of the words (in lower case), or matches one of the patterns. */
export interface Category {
  /** The name in tables and `--json`. */
  readonly name: string;
  /** Lower case. */
  readonly words: readonly string[];
  /** Matched against the trimmed text, whatever its case. */
  readonly patterns: readonly RegExp[];
}

/** The name for tokens that fit no category. */
export const OTHER = "other";

// Python's `\s` and strip() differ from JavaScript's: the separators U+001C-1F and U+0085 are space, U+FEFF is not.
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
// Ignoring case, Python takes the Turkish dotted and dotless I for i; Unicode's case folding does not.
const I = "[iİı]";
const LETTER = "[a-zA-Zİı]";
const TRIMMED = new RegExp(`^${SPACE}+|${SPACE}+$`, "gu");

/**
 * The categories of tokens, in the order in which they are tried: a token has the first one that it fits.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { DEFAULT_CATEGORIES } from "logratio/kl";
 *
 * assert.equal(DEFAULT_CATEGORIES[0]?.name, "math_symbol");
 * ```
 */
export const DEFAULT_CATEGORIES: readonly Category[] = [
  {
    name: "math_symbol",
    words: [..."+-*/=<>^()[]{}±×÷"],
    patterns: [
      pattern("^[+\\-*/=<>^()[\\]{}]+$"),
      pattern(`^\\\\(?:frac|sqrt|t${I}mes|d${I}v|pm|mp|cdot|leq|geq|neq|approx)[^\\n]*$`),
    ],
  },
  {
    name: "number",
    words: [],
    patterns: [pattern("^-?\\p{Nd}+\\.?\\p{Nd}*$"), pattern("^\\p{Nd}+/\\p{Nd}+$")],
  },
  {
    name: "logical",
    words: words(
      "therefore thus hence so because since if then when where given assuming",
      "implies follows means consequently however but although unless",
    ),
    patterns: [],
  },
  {
    name: "step_marker",
    words: words("step first second third fourth fifth next then finally lastly now"),
    patterns: [
      pattern(`^step${SPACE}*\\p{Nd}+:?$`),
      pattern(`^(?:f${I}rst|second|th${I}rd|fourth|f${I}fth|f${I}nally|next|then|now|lastly):?$`),
    ],
  },
  {
    name: "variable",
    words: words("x y z n m k a b c t r s"),
    patterns: [pattern(`^${LETTER}$`), pattern(`^${LETTER}_\\p{Nd}+$`)],
  },
  { name: "punctuation", words: [...".,;:!?'\""], patterns: [pattern("^[.,;:!?]+$")] },
];

function words(...lines: string[]): string[] {
  return lines.join(" ").split(" ");
}

function pattern(source: string): RegExp {
  return new RegExp(source, "iu");
}

/** The text without surrounding space, as Python's `str.strip` returns it. */
export function trimToken(text: string): string {
  return text.replace(TRIMMED, "");
}

/**
 * Names a token's category by its text alone: tries the words of a category, then its patterns, then the next category.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { classifyToken } from "logratio/kl";
 *
 * assert.equal(classifyToken(" ="), "math_symbol");
 * assert.equal(classifyToken("Therefore"), "logical");
 * ```
 *
 * @returns a category's name, or `other`
 */
export function classifyToken(text: string, categories: readonly Category[] = DEFAULT_CATEGORIES): string {
  const trimmed = trimToken(text);
  const lowered = trimmed.toLowerCase();
  for (const { name, words, patterns } of categories)
    if (words.includes(lowered) || patterns.some((pattern) => pattern.test(trimmed))) return name;
  return OTHER;
}

/**
 * {@link classifyToken} for the many tokens of a study, which have few distinct texts: each text is classified once.
 */
export function tokenClassifier(categories: readonly Category[]): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const category = classifyToken(text, categories);
    known.set(text, category);
    return category;
  };
}
