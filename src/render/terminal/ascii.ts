const REPLACEMENTS: Readonly<Record<string, string>> = {
  Δ: "D",
  δ: "d",
  Σ: "sum",
  ρ: "rho",
  τ: "tau",
  χ: "chi",
  σ: "sigma",
  "²": "^2",
  "§": "section ",
  "±": "+/-",
  "×": "x",
  "·": "-",
  "‰": " per mille",
  "≤": "<=",
  "≥": ">=",
  "≈": "~",
  "≠": "!=",
  "‖": "||",
  "∞": "inf",
  "−": "-",
  "–": "-",
  "—": "-",
  "…": "..",
  "→": "->",
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
  "\u00a0": " ",
  "\u202f": " ",
};

/** The same text in ASCII: characters that logratio itself writes have a spelling, others become `\u{…}`. */
export function toAscii(text: string): string {
  let ascii = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    ascii += code < 0x80 ? character : (REPLACEMENTS[character] ?? `\\u{${code.toString(16)}}`);
  }
  return ascii;
}
