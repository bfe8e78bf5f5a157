/**
 * What the KL at spikes of one text depends on: gradient times input with respect to every token before them.
 *
 * @module
 */
import type { SpikeDependence } from "../../results/texts.ts";
import type { ErrorSpan } from "../error-span.ts";
import type { ScoredText, StudyText } from "../study.ts";

/** Number of tokens kept with a spike among those that it depends on. */
const DEPENDENCES = 5;

/** Means over the spikes after the first error whose gradients are known; NaN if unknown. */
export interface TextGradients {
  readonly spikes: number;
  /** Share of Σ |gradient × input| over all earlier tokens that lies on the error's tokens. */
  readonly toError: number;
  /** The same for as many tokens right before the error. */
  readonly toControl: number;
  /** The error's share of the number of earlier tokens: what an even spread would give. */
  readonly even: number;
  /** Σ gradient × input over the error's tokens, nats: above 0, the KL would fall if they weighed less. */
  readonly atError: number;
}

/**
 * Whether a position is after the error, not counting the token right after it: the erroneous token itself predicts
 * that one.
 */
export function isBehindError(position: number, { token }: ErrorSpan): boolean {
  return position >= token + 2;
}

/** Undefined for texts without a known error, and if no spike after it has gradients. */
export function textGradients(
  { text, gradients }: Pick<ScoredText, "text" | "gradients">,
  error: ErrorSpan | undefined,
): TextGradients | undefined {
  if (error === undefined || gradients === undefined || text.correct !== false) return undefined;
  const behind = [...gradients].filter(([position]) => isBehindError(position, error));
  if (behind.length === 0) return undefined;
  const { promptLength, mask } = text;
  const [from, to] = [error.from, error.token + 1];
  const before = from - (to - from);
  const hasControl = before >= 0 && mask.subarray(before, from).every((own) => own === 1);
  const mean = (of: (values: ArrayLike<number>) => number): number =>
    behind.reduce((sum, [, values]) => sum + of(values), 0) / behind.length;
  const shareOn = (start: number, end: number) => (values: ArrayLike<number>) =>
    sumSizes(values, promptLength + start, promptLength + end) / sumSizes(values, 0, values.length);
  return {
    spikes: behind.length,
    toError: mean(shareOn(from, to)),
    toControl: hasControl ? mean(shareOn(before, from)) : Number.NaN,
    even: mean((values) => (to - from) / values.length),
    atError: mean((values) => sum(values, promptLength + from, promptLength + to)),
  };
}

/**
 * The tokens that the KL at a response token depends on most, largest first. Empty if its gradients are unknown or all
 * 0.
 */
export function listDependences(
  { text, gradients }: Pick<ScoredText, "text" | "gradients">,
  position: number,
  textOf: ((id: number) => string) | undefined,
): SpikeDependence[] {
  const values = gradients?.get(position);
  if (values === undefined) return [];
  const total = sumSizes(values, 0, values.length);
  if (!(total > 0 && Number.isFinite(total))) return [];
  return [...Array.from(values).keys()]
    .sort((a, b) => Math.abs(values[b]!) - Math.abs(values[a]!) || a - b)
    .slice(0, DEPENDENCES)
    .map((at) => ({
      position: at - text.promptLength,
      token: tokenAt(text, at, textOf),
      gradient_times_input: values[at]!,
      share: Math.abs(values[at]!) / total,
    }));
}

/** @param at counted from the prompt's first token */
function tokenAt(text: StudyText, at: number, textOf: ((id: number) => string) | undefined): string {
  const { promptLength, promptIds, tokens } = text;
  if (at >= promptLength) return tokens[at - promptLength] ?? "";
  const id = promptIds?.[at];
  return id === undefined ? `prompt token ${at}` : (textOf?.(id) ?? `#${id}`);
}

function sum(values: ArrayLike<number>, from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += values[i]!;
  return total;
}

function sumSizes(values: ArrayLike<number>, from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += Math.abs(values[i]!);
  return total;
}
