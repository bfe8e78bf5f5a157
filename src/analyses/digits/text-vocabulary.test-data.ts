import type { TokenSpan } from "./numbers.ts";
import { type DigitVocabulary, findDigitTokens } from "./vocabulary.ts";

const TEXTS = [
  ..."0123456789",
  ...Array.from({ length: 10 }, (_, digit) => ` ${digit}`),
  ...[
    "12",
    "007",
    " 345",
    ",",
    ".",
    "-",
    " -",
    "(",
    ")",
    "x",
    " ",
    "####",
    " ##",
    "##",
    "\\boxed",
    "\\box",
    "ed{",
    "}",
    "\n",
  ],
];

/** A vocabulary of texts; ids are places in the list. */
export const vocabulary: DigitVocabulary = findDigitTokens({
  vocabularySize: TEXTS.length,
  decode: (ids) => ids.map((id) => TEXTS[id] ?? "").join(""),
});

/** Ids of texts; a text in `|…|` has mask 0. */
export function makeSpan(...texts: readonly string[]): TokenSpan {
  const ids = texts.map((text) => {
    const id = TEXTS.indexOf(text.replace(/^\|(.*)\|$/, "$1"));
    if (id < 0) throw new Error(`the test vocabulary has no "${text}"`);
    return id;
  });
  return { ids, mask: texts.map((text) => (/^\|.*\|$/.test(text) ? 0 : 1)), start: 0, end: texts.length };
}
