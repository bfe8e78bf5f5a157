/**
 * Chooses which tokens of a sequence are printed. Gaps show their length and their most extreme value.
 *
 * @module
 */
import type { ShowReport, ShowSection } from "../../results/show.ts";

export interface FoldOptions {
  /** Tokens on either side of the requested token, or of the worst ones. */
  readonly context?: number | undefined;
  /** Nothing is folded. */
  readonly all?: boolean | undefined;
}

export type ShowPart =
  | { readonly kind: "heading"; readonly section: ShowSection }
  | { readonly kind: "tokens"; readonly from: number; readonly to: number }
  | {
      readonly kind: "gap";
      readonly from: number;
      readonly to: number;
      /** The numbers of the first and last turn, for a gap of several whole turns and what is between them. */
      readonly turns: readonly [number, number] | undefined;
    };

/** Responses up to this length are printed whole. */
const WHOLE = 800;
const AROUND_WORST = 40;
const AROUND_TOKEN = 20;
/** Longer tool output is folded to its beginning and end. */
const LONG_TOOL = 64;
const TOOL_HEAD = 32;
const TOOL_TAIL = 16;
/** A gap this short takes as much room as its tokens. */
const SHORT_GAP = 6;

type Span = readonly [from: number, to: number];

export function foldResponse(report: ShowReport, options: FoldOptions): ShowPart[] {
  const { sections } = report;
  const windows = findWindows(report, options);
  const parts: ShowPart[] = [];
  let hidden: ShowSection[] = [];
  const flush = (): void => {
    const [first, last] = [hidden[0], hidden.at(-1)];
    if (first === undefined || last === undefined) return;
    if (hidden.length === 1) parts.push({ kind: "heading", section: first });
    const turns = hidden.flatMap(({ turn }) => turn ?? []);
    const named = hidden.length > 1 && turns.length > 0;
    parts.push({
      kind: "gap",
      from: first.from,
      to: last.to,
      turns: named ? [turns[0]!, turns.at(-1)!] : undefined,
    });
    hidden = [];
  };
  for (const section of sections) {
    const shown = findShown(section, windows, report, options);
    if (shown.length === 0) {
      hidden.push(section);
      continue;
    }
    flush();
    parts.push({ kind: "heading", section }, ...withGaps(shown, section));
  }
  flush();
  return parts;
}

/** How many tokens at the beginning and at the end of the prompt are printed. */
export function foldPrompt(report: ShowReport, options: FoldOptions): { head: number; tail: number } {
  const { length } = report.prompt;
  const isWhole = options.all === true || length <= LONG_TOOL;
  // Around a token, the prompt is context too: its end is shown if the window reaches it.
  if (report.token !== null && options.all !== true) {
    const reaches = findWindows(report, options)[0]?.[0] === 0;
    return { head: 0, tail: reaches ? Math.min(TOOL_TAIL, length) : 0 };
  }
  return isWhole ? { head: length, tail: 0 } : { head: TOOL_HEAD, tail: TOOL_TAIL };
}

function findWindows({ tokens, worst, token }: ShowReport, { context, all }: FoldOptions): Span[] {
  const { length } = tokens;
  if (all === true) return [[0, length]];
  const around = (center: number, size: number): Span => [
    Math.max(0, center - size),
    Math.min(length, center + size + 1),
  ];
  if (token !== null) return [around(token.token, context ?? AROUND_TOKEN)];
  if (length <= WHOLE && context === undefined) return [[0, length]];
  return joined(worst.map((center) => around(center, context ?? AROUND_WORST)));
}

function joined(spans: readonly Span[]): Span[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from - last[1] <= SHORT_GAP) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

function findShown(
  { kind, from, to }: ShowSection,
  windows: readonly Span[],
  { token }: ShowReport,
  { all }: FoldOptions,
): Span[] {
  const inside = windows
    .map(([a, b]): Span => [Math.max(a, from), Math.min(b, to)])
    .filter(([a, b]) => b > a);
  if (kind === "turn" || all === true || token !== null) return inside;
  return inside.flatMap(([a, b]): Span[] =>
    b - a <= LONG_TOOL ? [[a, b]] : [[a, a + TOOL_HEAD] as const, [b - TOOL_TAIL, b] as const],
  );
}

function withGaps(shown: readonly Span[], { from, to }: ShowSection): ShowPart[] {
  const parts: ShowPart[] = [];
  let at = from;
  const gapTo = (end: number): void => {
    if (end > at) parts.push({ kind: "gap", from: at, to: end, turns: undefined });
  };
  for (const [a, b] of shown) {
    gapTo(a);
    parts.push({ kind: "tokens", from: a, to: b });
    at = b;
  }
  gapTo(to);
  return parts;
}
