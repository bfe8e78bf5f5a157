import type { CaseStudy } from "../../results/texts.ts";
import { tokenClassifier } from "../categories/categories.ts";
import { isAtError } from "../error-span.ts";
import type { TextSummary, TextUnderCheckpoints } from "../summary.ts";
import { byText, finite } from "./numbers.ts";
import { listTexts } from "./problems.ts";
import {
  type KlStudy,
  type KlStudyInput,
  lastCheckpoint,
  type ReportText,
  viewStudy,
} from "./report-input.ts";
import { formatTextHandle, largestSpikes, spikeFigures } from "./spike-figures.ts";

interface Criterion {
  readonly reason: string;
  /** Larger ranks are better; undefined if the text is not a candidate. */
  readonly rank: (summary: TextSummary, text: Pick<ReportText, "correct">) => number | undefined;
}

const CRITERIA: readonly Criterion[] = [
  { reason: "the most spikes", rank: ({ spikes }) => spikes.length || undefined },
  { reason: "the highest mean KL", rank: ({ meanKl }) => meanKl },
  { reason: "the largest spike", rank: ({ maxKl, spikes }) => (spikes.length > 0 ? maxKl : undefined) },
  { reason: "a spike at the first error", rank: (summary, text) => spikeAtError(summary, text) },
  {
    reason: "a first error without a spike near it",
    rank: (summary, text) =>
      isError(summary, text) && spikeAtError(summary, text) === undefined ? summary.meanKl : undefined,
  },
  {
    reason: "a right text with a high KL",
    rank: ({ meanKl }, { correct }) => (correct === true ? meanKl : undefined),
  },
  {
    reason: "the most KL against what one wants",
    rank: ({ badKl }) => (badKl > 0 ? badKl : undefined),
  },
  { reason: "the lowest mean KL", rank: ({ meanKl }) => -meanKl },
];

function isError({ error }: TextSummary, { correct }: Pick<ReportText, "correct">): boolean {
  return correct === false && error !== undefined;
}

/** The largest spike within the window of the first error. */
function spikeAtError(summary: TextSummary, text: Pick<ReportText, "correct">): number | undefined {
  const { error } = summary;
  if (error === undefined || !isError(summary, text)) return undefined;
  const near = summary.spikes.filter(({ position }) => isAtError(position, error));
  return near.length === 0 ? undefined : Math.max(...near.map(({ value }) => value));
}

/** For each reason, in order, the texts that fit it, best first. */
export function rankCases(
  texts: readonly { readonly summary: TextSummary; readonly text: Pick<ReportText, "correct"> }[],
): TextSummary[][] {
  return CRITERIA.map(({ rank }) =>
    texts
      .flatMap(({ summary, text }) => {
        const value = rank(summary, text);
        return value === undefined || Number.isNaN(value) ? [] : [{ summary, value }];
      })
      .sort((a, b) => b.value - a.value || byText(a.summary.text, b.summary.text))
      .map(({ summary }) => summary),
  );
}

/** The texts worth a case study at the last checkpoint, each for one reason and none twice. */
function chosen(study: KlStudy): Map<number, string> {
  const reasons = new Map<number, string>();
  const texts = listTexts(lastCheckpoint(study).problems).map((summary) => {
    return { summary, text: study.input.texts[summary.index]! };
  });
  const rankings = rankCases(texts).slice(0, study.sizes.cases);
  for (const [i, ranking] of rankings.entries()) {
    const best = ranking.find(({ index }) => !reasons.has(index));
    if (best !== undefined) reasons.set(best.index, CRITERIA[i]!.reason);
  }
  return reasons;
}

/**
 * The texts to revisit token by token under every checkpoint: those of the case studies and of the largest spikes. The
 * result goes into `KlReportInput.cases`.
 *
 * @returns places in the study's list of texts, ascending
 */
export function chooseCases(input: KlStudyInput): number[] {
  const study = viewStudy(input);
  if (study.checkpoints.length === 0) return [];
  const spikes = largestSpikes(study).map(({ summary }) => summary.index);
  return [...new Set([...chosen(study).keys(), ...spikes])].sort((a, b) => a - b);
}

/** Case studies in the order of their reasons; texts that were not revisited are left out, with a note. */
export function caseStudies(study: KlStudy, looked: ReadonlyMap<number, TextUnderCheckpoints>): CaseStudy[] {
  const last = new Map(listTexts(lastCheckpoint(study).problems).map((summary) => [summary.index, summary]));
  const classify = tokenClassifier(study.input.categories);
  return [...chosen(study)].flatMap(([index, reason]): CaseStudy[] => {
    const [found, summary] = [looked.get(index), last.get(index)];
    if (found === undefined || summary === undefined) {
      study.absent(`no case study of ${formatTextHandle(index)} (${reason}): it was not read again`);
      return [];
    }
    const { text } = found;
    const checkpoints = study.checkpoints.map(({ name }) => name).filter((name) => found.kl.has(name));
    const infinite = checkpoints.flatMap((name) =>
      [...text.tokens.keys()].filter((token) => found.kl.get(name)?.[token] === Number.POSITIVE_INFINITY),
    ).length;
    if (infinite > 0)
      study.absent(
        `${formatTextHandle(index)}: ${infinite === 1 ? "1 infinite KL is" : `${infinite} infinite KLs are`} null in its case study`,
      );
    const rows = (of: ReadonlyMap<string, ArrayLike<number>>): (number | null)[][] =>
      checkpoints.map((name) => text.tokens.map((_, token) => finite(of.get(name)?.[token] ?? Number.NaN)));
    return [
      {
        handle: formatTextHandle(index),
        text: text.id,
        problem: text.problem,
        reason,
        source: text.source ?? null,
        correct: text.correct ?? null,
        subject: text.subject ?? null,
        level: text.level ?? null,
        prompt_text: text.promptText ?? null,
        tokens: text.tokens,
        mask: [...text.mask],
        categories: text.tokens.map(classify),
        checkpoints,
        kl: rows(found.kl),
        delta: rows(found.delta),
        spikes: summary.spikes.map((spike) => spikeFigures(study, { summary, spike }, found)),
        error_token: summary.error?.token ?? null,
        continuations: found.continuations ?? [],
      },
    ];
  });
}
