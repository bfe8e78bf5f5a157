/**
 * Whether a response's final answer is the given one: `\boxed{…}` or, as in GSM8K, what follows `####`. Numbers are
 * compared as numbers, everything else as LaTeX without its spacing.
 *
 * @returns undefined if the response states no final answer in either form
 */
export function gradeAnswer(response: string, answer: string): boolean | undefined {
  const stated = finalAnswer(response);
  if (stated === undefined) return undefined;
  const [ours, theirs] = [plain(stated), plain(finalAnswer(answer) ?? answer)];
  if (ours === theirs) return true;
  const [a, b] = [parseNumber(ours), parseNumber(theirs)];
  return (
    a !== undefined && b !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
  );
}

/** The last `\boxed{…}` with its braces balanced, else the line after the last `####`. */
function finalAnswer(text: string): string | undefined {
  const start = text.lastIndexOf("\\boxed{");
  if (start >= 0) {
    let depth = 0;
    for (let i = start + "\\boxed".length; i < text.length; i++) {
      if (text[i] === "{") depth++;
      if (text[i] === "}" && --depth === 0) return text.slice(start + "\\boxed{".length, i);
    }
    return undefined;
  }
  return /.*####\s*([^\n]+)/s.exec(text)?.[1];
}

function plain(text: string): string {
  return text
    .replace(/\\(left|right|,|;|!|:|quad|displaystyle)(?![A-Za-z])/g, "")
    .replace(/\\[dt]frac(?![A-Za-z])/g, "\\frac")
    .replace(/\\(?:text|mathrm|mbox)\{([^{}]*)\}/g, "$1")
    .replace(/[\s$]/g, "")
    .replace(/\.$/, "");
}

/** `1,234`, `-0.5`, `3/4`, `\frac{3}{4}`, `50\%`. */
function parseNumber(text: string): number | undefined {
  const digits = text.replace(/(\d),(?=\d{3}(\D|$))/g, "$1").replace(/\\?%$/, "");
  const [, sign = "", over, under] =
    /^(-?)(?:\\frac\{(?=\d+\}\{\d+\}))?(\d+)(?:\}\{|\/)(\d+)\}?$/.exec(digits) ?? [];
  if (over !== undefined && Number(under) !== 0) return Number(`${sign}1`) * (Number(over) / Number(under));
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(digits) ? Number(digits) : undefined;
}
