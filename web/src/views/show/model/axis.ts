/** Tokens along a horizontal line; a long prompt is compressed to leave room for the response. */
export interface Axis {
  readonly width: number;
  /** Width of the prompt in pixels. */
  readonly promptWidth: number;
  /** Left edge of a token, counted from the first prompt token. */
  readonly xOf: (token: number) => number;
  /** The token at a pixel, within the sequence. */
  readonly tokenAt: (x: number) => number;
  /** `[columns + 1]`: edges of pixel columns of the response, in response tokens, for `columns` columns. */
  readonly edges: (columns: number) => Float64Array;
}

const PROMPT_SHARE = 0.1;

export function makeAxis(prompt: number, response: number, width: number): Axis {
  const length = Math.max(1, prompt + response);
  const share = response === 0 ? 1 : Math.min(prompt / length, PROMPT_SHARE);
  const promptWidth = prompt === 0 ? 0 : width * share;
  const rest = width - promptWidth;
  return {
    width,
    promptWidth,
    xOf: (token) =>
      token < prompt
        ? (token / prompt) * promptWidth
        : promptWidth + ((token - prompt) / Math.max(1, response)) * rest,
    tokenAt: (x) => {
      const token =
        x < promptWidth
          ? (x / promptWidth) * prompt
          : prompt + ((x - promptWidth) / Math.max(1, rest)) * response;
      return Math.min(length - 1, Math.max(0, Math.floor(token)));
    },
    edges: (columns) =>
      Float64Array.from({ length: columns + 1 }, (_, column) => (column / columns) * response),
  };
}

/** `range=100-200`, response tokens, both ends included. */
export interface TokenRange {
  readonly from: number;
  readonly to: number;
}

export function parseRange(text: string | undefined, response: number): TokenRange | undefined {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text ?? "") ?? [];
  if (first === undefined || last === undefined) return undefined;
  const from = Math.min(Number(first), Number(last));
  const to = Math.min(Math.max(Number(first), Number(last)), response - 1);
  return from > to ? undefined : { from, to };
}

export function formatRange({ from, to }: TokenRange): string {
  return `${from}-${to}`;
}
