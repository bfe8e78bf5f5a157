/**
 * A case's text as a row of parts: tokens with their KL at one checkpoint, tool output and tokens without a score, and
 * stretches left out. The scale is that of the whole case, so that checkpoints can be compared.
 *
 * @module
 */

import { isFigure } from "../../core/text/index.ts";
import { heatLevel } from "../../render/charts/index.ts";
import type { CaseStudy, SpikeFigures } from "../results/texts.ts";

/** A scored token, or a marked one. */
export interface StripToken {
  readonly kind: "token";
  readonly position: number;
  readonly text: string;
  readonly kl: number | null;
  readonly level: number;
  /** Its spike, and the letter that points to it. */
  readonly spike: { readonly mark: string; readonly figures: SpikeFigures } | null;
  readonly error: boolean;
}

/** Tokens from `from` to before `to` that have no KL: `tool` by the mask, `unknown` without a score. */
export interface StripRun {
  readonly kind: "tool" | "unknown";
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Tokens from `from` to before `to` that are not shown. */
export interface StripGap {
  readonly kind: "gap";
  readonly from: number;
  readonly to: number;
  /** Largest KL among them. */
  readonly most: number | null;
}

export type StripPart = StripToken | StripRun | StripGap;

/** The row that strips and spikes are about: the last checkpoint, if the case has it. */
export function lastRow({ checkpoints }: CaseStudy, last: string): number {
  const at = checkpoints.indexOf(last);
  return at < 0 ? checkpoints.length - 1 : at;
}

/** Largest KL of the case's own tokens over all checkpoints; 0 where none is known. */
export function largestKl({ kl, mask }: Pick<CaseStudy, "kl" | "mask">): number {
  let most = 0;
  for (const row of kl)
    for (const [at, value] of row.entries())
      if (mask[at] !== 0 && isFigure(value) && value > most) most = value;
  return most;
}

/** The case's spikes in the order of the text, each with its letter: `a` to `z`, then `aa`. */
export function markedSpikes({
  spikes,
}: CaseStudy): { readonly mark: string; readonly figures: SpikeFigures }[] {
  return [...spikes]
    .sort((a, b) => a.position - b.position)
    .map((figures, at) => ({ mark: letters(at), figures }));
}

function letters(at: number): string {
  const letter = String.fromCharCode(97 + (at % 26));
  return at < 26 ? letter : letters(Math.floor(at / 26) - 1) + letter;
}

/** The whole text; consecutive tool output and consecutive tokens without a score are joined. */
export function stripParts(study: CaseStudy, last: string): StripPart[] {
  const row = study.kl[lastRow(study, last)] ?? [];
  const largest = largestKl(study);
  const spikes = new Map(markedSpikes(study).map((spike) => [spike.figures.position, spike]));
  const parts: StripPart[] = [];
  for (const [position, text] of study.tokens.entries()) {
    const kl = row[position] ?? null;
    const spike = spikes.get(position) ?? null;
    const error = study.error_token === position;
    const isTool = study.mask[position] === 0;
    if (spike !== null || error || !(isTool || kl === null)) {
      const level = kl === null || isTool ? 0 : heatLevel(kl, largest);
      parts.push({ kind: "token", position, text, kl: isTool ? null : kl, level, spike, error });
      continue;
    }
    const kind = isTool ? "tool" : "unknown";
    const before = parts.at(-1);
    if (before?.kind === kind)
      parts[parts.length - 1] = { ...before, to: position + 1, text: before.text + text };
    else parts.push({ kind, from: position, to: position + 1, text });
  }
  return parts;
}

/**
 * In a text with more than `most` parts, keeps the first ones and `around` parts on both sides of every spike and of
 * the error; the rest become gaps.
 */
export function foldStrip(parts: readonly StripPart[], most: number, around: number): StripPart[] {
  if (parts.length <= most) return [...parts];
  const marked = parts.flatMap((part, at) =>
    part.kind === "token" && (part.spike !== null || part.error) ? [at] : [],
  );
  const kept = new Set<number>(Array.from({ length: around }, (_, at) => at));
  for (const center of marked)
    for (let at = center - around; at <= center + around; at++) if (at >= 0) kept.add(at);
  const folded: StripPart[] = [];
  for (const [at, part] of parts.entries()) {
    if (kept.has(at)) {
      folded.push(part);
      continue;
    }
    const { from, to, kl } = findExtent(part);
    const before = folded.at(-1);
    if (before?.kind === "gap")
      folded[folded.length - 1] = { ...before, to, most: chooseLarger(before.most, kl) };
    else folded.push({ kind: "gap", from, to, most: kl });
  }
  return folded;
}

function findExtent(part: StripPart): { from: number; to: number; kl: number | null } {
  if (part.kind === "token") return { from: part.position, to: part.position + 1, kl: part.kl };
  return { from: part.from, to: part.to, kl: part.kind === "gap" ? part.most : null };
}

function chooseLarger(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
