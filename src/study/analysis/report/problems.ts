import type { TextSummary } from "../summary.ts";
import { byText, computeMean, computeSum } from "./numbers.ts";

/** A problem's texts under one checkpoint, without those that have no KL at all. */
export interface Problem {
  readonly name: string;
  /** Sorted by id. */
  readonly texts: readonly TextSummary[];
}

/** Whether a text has a KL under its checkpoint. */
export function isReported({ tokens, meanKl }: TextSummary): boolean {
  return tokens > 0 && Number.isFinite(meanKl);
}

/** Sorted by name, so that draws and sums do not depend on the order of the texts. */
export function groupProblems(texts: readonly TextSummary[]): Problem[] {
  const groups = new Map<string, TextSummary[]>();
  for (const text of [...texts].sort((a, b) => byText(a.text, b.text))) {
    if (!isReported(text)) continue;
    const group = groups.get(text.problem);
    if (group === undefined) groups.set(text.problem, [text]);
    else group.push(text);
  }
  return [...groups]
    .map(([name, members]) => ({ name, texts: members }))
    .sort((a, b) => byText(a.name, b.name));
}

/**
 * A problem's figure: the mean over its texts of each text's figure, so that a long text counts no more than a short
 * one. Texts whose figure is unknown are left out; NaN if it is known for none.
 */
export function problemMean(problem: Problem, of: (text: TextSummary) => number): number {
  return computeMean(problem.texts.map(of).filter((value) => !Number.isNaN(value)));
}

/** The figure of every problem for which it is known. */
export function problemMeans(problems: readonly Problem[], of: (text: TextSummary) => number): number[] {
  return problems.map((problem) => problemMean(problem, of)).filter((value) => !Number.isNaN(value));
}

export function listTexts(problems: readonly Problem[]): TextSummary[] {
  return problems.flatMap(({ texts }) => texts);
}

/** Number of spikes over all texts of a problem. */
export function countSpikes(problem: Problem): number {
  return computeSum(problem.texts.map(({ spikes }) => spikes.length));
}
