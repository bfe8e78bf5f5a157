/**
 * The first screen of the page: the assessment in words.
 *
 * @module
 */
import { wordNow } from "../../../analyses/assessment/index.ts";
import { shellCommand } from "../../../core/base/index.ts";
import { fixPlace, splitSteps } from "../../../render/doctor/index.ts";
import { namePart, verdictWord } from "../../../render/report/index.ts";
import { levelSign } from "../../../render/terminal/index.ts";
import { displayed, formatShare } from "../../../render/text/display/index.ts";
import { asSentence, capitalize, formatChance, inSentence, printable } from "../../../render/text/index.ts";
import type { AnswerBeside, AnswerCause, AnswerFix, AnswerPage } from "../../../results/answer-page.ts";
import type { Assessment } from "../../../results/assessment.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { RunInfo } from "../../../results/view.ts";
import { badSteps, figures, shifts, zones } from "./answer-figures.ts";
import { nameGreek, partMove, splitSentence } from "./answer-words.ts";

const MOST_CAUSES = 3;
/** How many of those that look like the first cause are named. */
const MOST_ALIKE = 1;
const MOST_OUTCOMES = 2;
const MOST_UNTESTED = 5;

/** @param mistakes from `answerMistakes` */
export function answerPage(
  report: MismatchReport,
  { paths, flags }: RunInfo["input"],
  mistakes: AnswerPage["mistakes"],
): AnswerPage {
  const { assessment, trainers } = report;
  const { level, comparable, untested } = assessment;
  const [headline, detail] = splitSentence(assessment);
  const isSound = (level === "none" || level === "normal") && assessment.causes.length === 0;
  return {
    ...levelWords(level),
    stretch: badStretch(assessment),
    headline: told(nameGreek(headline)),
    detail: told(nameGreek(detail)),
    is_sound: isSound,
    is_comparable: comparable.is_comparable,
    trainer: trainers.length === 1 ? (trainers[0] ?? null) : null,
    zones: zones(),
    points: badSteps(report),
    shifts: shifts(comparable),
    causes: causes(assessment),
    decide: decide(assessment),
    fix: fixOf(assessment),
    mistakes,
    where: assessment.where.map((part) => ({
      label: printable(namePart(part)),
      k3_share: formatShare(part.k3_share),
      token_share: formatShare(part.token_share),
      bar: part.k3_share,
      token_bar: part.token_share,
      move: partMove(part),
    })),
    figures: figures(report),
    beside: beside(assessment),
    untested: untested.slice(0, MOST_UNTESTED).map(({ test, column, how }) => ({
      test: told(test),
      column: printable(column),
      how: told(how),
    })),
    command: command(assessment, isSound, paths, flags),
  };
}

/** The page of a running run: its verdict covers the last steps, its cards all of them. */
export function answerNow(page: AnswerPage, report: MismatchReport): AnswerPage {
  const { level, headline } = wordNow(report);
  const { sentence } = report.assessment;
  if (headline === report.verdict.headline) return page;
  const [since = "", ...rest] = told(nameGreek(headline)).split(": ");
  return {
    ...page,
    ...levelWords(level),
    headline: capitalize(since),
    detail: `${rest.join(": ")}. The whole run: ${told(sentence)}`,
  };
}

function levelWords(level: AnswerPage["level"]): Pick<AnswerPage, "level" | "sign" | "word"> {
  const word = verdictWord({ level });
  return { level, sign: levelSign(level, true), word: capitalize(word.toLowerCase()) };
}

/** The last stretch of steps that gives the run its level, unless all steps do. */
function badStretch({ level, when: { segments } }: Assessment): AnswerPage["stretch"] {
  const bad =
    level === "none" || level === "normal" ? undefined : segments.findLast((each) => each.level === level);
  return bad === undefined || segments.length < 2 ? null : [bad.from_step, bad.to_step];
}

function told(text: string): string {
  return displayed(printable(text));
}

function causes({ causes: groups }: Assessment): AnswerCause[] {
  return groups
    .slice(0, MOST_CAUSES)
    .flatMap(({ title, part, probability, causes: alike }, at) => [
      cause(part === null ? title : `${title}: ${part}`, probability, false),
      ...(at > 0 || alike.length < 2
        ? []
        : alike.slice(0, MOST_ALIKE).map((each) => cause(each.title, each.probability, true))),
    ]);
}

function cause(title: string, probability: number, isAlike: boolean): AnswerCause {
  return { title: told(title), chance: formatChance(probability), bar: probability, is_alike: isAlike };
}

/** The first step of the next experiment, and what the outcomes that name the likeliest causes would mean. */
function decide({ next, causes: groups }: Assessment): AnswerPage["decide"] {
  if (next === null) return null;
  const known = new Map(groups.flatMap(({ causes: each }) => each.map((one) => [one.id, one] as const)));
  const outcomes = next.outcomes
    .flatMap(({ outcome, causes: ids }) => {
      const [likeliest] = ids
        .flatMap((id) => known.get(id) ?? [])
        .toSorted((a, b) => b.probability - a.probability);
      return likeliest === undefined ? [] : [{ outcome, likeliest }];
    })
    .toSorted((a, b) => b.likeliest.probability - a.likeliest.probability)
    .slice(0, MOST_OUTCOMES);
  const lines = splitSteps(next).map(({ text }) => printable(text));
  return {
    text: told(next.title),
    outcomes: asSentence(
      outcomes
        .map(({ outcome, likeliest }) => told(`${outcome} → ${inSentence(likeliest.title)}`))
        .join("; "),
    ),
    lines: lines.join("\n"),
  };
}

function fixOf({ causes: [first] }: Assessment): AnswerFix | null {
  const fix = first?.fix ?? null;
  if (fix === null) return null;
  return {
    place: fixPlace(fix),
    line: fix.line.split("\n").map(printable).join("\n"),
    note: told(fix.note),
    is_code: fix.is_code,
  };
}

function beside({ beside: found }: Assessment): AnswerBeside[] {
  return found.map(({ title, level, short, do_this }) => ({
    title: told(title),
    level: level === "bad" ? "broken" : "elevated",
    text: told(short),
    do_this: told(do_this),
  }));
}

function command(
  { comparable }: Assessment,
  isSound: boolean,
  paths: readonly string[],
  flags: readonly string[],
): AnswerPage["command"] {
  if (comparable.shift !== null && !comparable.is_comparable)
    return {
      label: "Now, with the column moved",
      command: shellCommand("report", paths, [...flags, "--align", "auto"]),
    };
  if (!isSound) return null;
  return {
    label: "To be told when it changes",
    command: shellCommand("gate", paths, [...flags, "--update", "--against", "baseline.yaml"]),
  };
}
