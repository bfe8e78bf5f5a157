/**
 * The answer about a run, in rows with a label: the same words on the first screen of a terminal, in Markdown and on a
 * page.
 *
 * @module
 */

import {
  asSentence,
  formatChance,
  formatNumber,
  formatShare,
  inSentence,
  plural,
} from "../../../core/text/index.ts";
import type { CauseGroup, Reach, StandingPart, StepSegment } from "../../../results/assessment.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { sayBeside } from "../../health/beside.ts";
import { rankSeverity } from "../verdict-level.ts";
import type { AnswerRow } from "./answer-row.ts";
import { eventRow } from "./event-row.ts";

const MOST_PARTS = 3;
/** A smaller share of the KL at advantage 0 is not worth a sentence. */
const LEAST_AT_ZERO = 0.2;

/** Importance of rows, by label; for a fault, its part and its fix come before the worst mistake. */
const RANKS = {
  also: 1,
  untested: 2,
  where: 3,
  evidence: 4,
  beside: 5,
  matters: 6,
  cause: 8,
  worst: 7,
} as const;
const OF_FAULT = { fix: 9, gap: 8, asIf: 7, worst: 0 } as const;

/**
 * The worst mistake, where it is, whether it matters, why, and what else stands out; rows without content are left out.
 */
export function answerRows(report: MismatchReport, unicode = true): AnswerRow[] {
  const { assessment } = report;
  const { level, where, reach, beside, sentence } = assessment;
  const worst = eventRow(report, unicode);
  const besides = sayBeside(beside, sentence);
  const isFault = level === "fault" || level === "not_comparable";
  const told = [
    ...(worst === undefined ? [] : [{ ...worst, rank: isFault ? OF_FAULT.worst : RANKS.worst }]),
    ...(where.length === 0 || isQuiet(level)
      ? []
      : [{ label: "where", text: sayWhere(where), rank: RANKS.where }]),
    ...(reach === null || isQuiet(level) ? [] : reachRow(reach, assessment.when.segments)),
  ];
  const causes = isFault ? faultRows(assessment.causes, unicode) : causeRows(assessment.causes);
  // What stands out by a test, other than the place named above.
  const [fact] = report.facts.filter(({ evidence }) => evidence !== undefined);
  return [
    ...(isFault ? [...causes, ...told] : [...told, ...causes]),
    ...(besides === undefined ? [] : [{ label: "beside", text: besides, rank: RANKS.beside }]),
    ...(fact === undefined ? [] : [{ label: "also", text: fact.text, rank: RANKS.also }]),
    ...untestedRow(report),
  ];
}

/**
 * If nothing is wrong, or there are too few data to say so, neither the place nor the reach of the mismatch is worth a
 * row.
 */
function isQuiet(level: MismatchReport["assessment"]["level"]): boolean {
  return level === "none" || level === "normal" || level === "too_few";
}

/** `wrong answers 96 % of the KL, turn 1 81 %, the 9th tenth 78 %` */
export function sayWhere(parts: readonly StandingPart[]): string {
  return parts
    .slice(0, MOST_PARTS)
    .map((part, at) => `${namePart(part)} ${roundShare(part.k3_share)}${at === 0 ? " of the KL" : ""}`)
    .join(", ");
}

/** A share in whole per cents, if that has two digits. */
function roundShare(share: number): string {
  return share >= 0.1 && share < 0.995
    ? formatShare(Math.round(share * 100) / 100).replace(".0 %", " %")
    : formatShare(share);
}

/** `wrong answers`, `turn 1`, `the first tenth` (of answers) */
export function namePart({ kind, name }: StandingPart): string {
  switch (kind) {
    case "correctness":
      return name === "incorrect" ? "wrong answers" : "right answers";
    case "staleness":
      return name === "0" ? "fresh weights" : `weights ${plural(Number(name), "step")} old`;
    case "position_decile":
      return `the ${TENTHS[Number(name)] ?? name} tenth`;
    case "environment":
      return name;
    default:
      return `${kind} ${name}`;
  }
}

const TENTHS = ["first", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "last"];

function reachRow(reach: Reach, segments: readonly StepSegment[]): AnswerRow[] {
  const { k3_share_at_zero: atZero, impact_share_in_bad_steps: inBad } = reach;
  if (atZero < LEAST_AT_ZERO && inBad === null) return [];
  const zero = `${roundShare(atZero)} of the KL has advantage 0: no gradient`;
  const bad =
    inBad === null ? "" : `. Of what reaches the gradient, ${roundShare(inBad)} is in ${sayBad(segments)}`;
  return [{ label: "matters?", text: `${zero}${bad}`, rank: RANKS.matters }];
}

/** The steps of the worst level. */
function sayBad(segments: readonly StepSegment[]): string {
  const worst = segments.reduce((most, { level }) => Math.max(most, rankSeverity(level)), 0);
  const places = segments
    .filter(({ level }) => rankSeverity(level) === worst)
    .map(({ from_step: from, to_step: to }) => (from === to ? `${from}` : `${from}–${to}`));
  return places.length === 1 && !places[0]!.includes("–")
    ? `step ${places[0]}`
    : `steps ${places.join(", ")}`;
}

/** Why, if no single cause is certain: the first groups, and the evidence for the first. */
function causeRows(causes: readonly CauseGroup[]): AnswerRow[] {
  const [first] = causes;
  if (first === undefined) return [];
  const [evidence] = first.evidence;
  return [
    { label: "cause", text: sayCauses(causes), rank: RANKS.cause },
    ...(evidence === undefined ? [] : [{ label: "evidence", text: evidence, rank: RANKS.evidence }]),
  ];
}

/** For a fault, which the verdict has named: what shows it, what it looks like, what to do. */
export function faultRows(causes: readonly CauseGroup[], unicode: boolean): AnswerRow[] {
  const [first] = causes;
  if (first === undefined) return [];
  const bars = barRow(first, unicode);
  const why = first.evidence.slice(0, 2).map((text) => ({ label: "evidence", text, rank: OF_FAULT.asIf }));
  return [...(bars.length > 0 ? bars : why), ...asIfRow(causes), ...fixRow(first)];
}

/** `different weights on the two sides (51 %), likeliest: engine runs older weights; else quantized weights (19 %)` */
export function sayCauses(causes: readonly CauseGroup[]): string {
  const [first, ...others] = causes;
  if (first === undefined) return "";
  const second = others.find(({ coexists }) => !coexists);
  const beside = others.find(({ coexists }) => coexists);
  const also = beside === undefined ? "" : `; also ${inSentence(beside.title)}`;
  const [likely] = first.causes;
  // The likeliest cause may give the group its name.
  const isNamed = first.causes.length > 1 && likely !== undefined && likely.title !== first.title;
  const likeliest = isNamed ? `, likeliest: ${inSentence(likely.title)}` : "";
  const other =
    second === undefined ? "" : `; else ${inSentence(second.title)} (${formatChance(second.probability)})`;
  return `${inSentence(first.title)} (${formatChance(first.probability)})${likeliest}${other}${also}`;
}

/** A part of the run that differs, drawn next to the others. */
function barRow({ picture, part }: CauseGroup, unicode: boolean): AnswerRow[] {
  if (part === null || picture?.kind !== "bars" || picture.x.length > MOST_BARS) return [];
  const values = picture.x.map((name, at) => ({ name: String(name), value: picture.series[0]?.y[at] ?? 0 }));
  const most = Math.max(...values.map(({ value }) => value));
  const width = Math.max(...values.map(({ name }) => name.length));
  const full = unicode ? "█" : "#";
  const quoted = values
    .sort((a, b) => b.value - a.value)
    .map(({ name, value }) => {
      const length = most > 0 ? Math.max(1, Math.round((value / most) * BAR_COLUMNS)) : 0;
      return `${name.padEnd(width)}  ${full.repeat(length).padEnd(BAR_COLUMNS)}  ${formatNumber(value)}`;
    });
  return [
    {
      label: "gap",
      text: `${picture.title.charAt(0).toLowerCase()}${picture.title.slice(1)}, nats`,
      quoted,
      rank: OF_FAULT.gap,
    },
  ];
}

const MOST_BARS = 6;
const BAR_COLUMNS = 20;

/** For a part that differs: what its difference looks like on its own. */
function asIfRow(causes: readonly CauseGroup[]): AnswerRow[] {
  const [first, second] = causes;
  if (first?.part == null || second === undefined || second.part !== null) return [];
  const [evidence] = second.evidence;
  return [
    {
      label: "as if",
      text: `${inSentence(second.title)}${evidence === undefined ? "" : `. ${evidence}`}`,
      rank: OF_FAULT.asIf,
    },
  ];
}

export function fixRow({ fix }: CauseGroup): AnswerRow[] {
  if (fix === null) return [];
  const trainer = fix.trainer === null ? "" : `${fix.trainer}: `;
  if (!fix.is_code)
    return [
      { label: "fix", text: `${trainer}${asSentence(fix.line)} ${fix.note}`.trim(), rank: OF_FAULT.fix },
    ];
  return [{ label: "fix", text: `${trainer}${fix.note}`, quoted: fix.line.split("\n"), rank: OF_FAULT.fix }];
}

/** For a run in which nothing was found: what was not tested. */
function untestedRow({ assessment }: MismatchReport): AnswerRow[] {
  const { untested, diagnosis, level } = assessment;
  if (diagnosis !== "healthy" || !isQuiet(level) || untested.length === 0) return [];
  const shown = untested.slice(0, MOST_UNTESTED);
  const tests = shown.map(({ column }) => TESTS.get(column) ?? column).join(", ");
  const columns = shown.map(({ column }) => column).join(", ");
  const more = untested.length > shown.length ? `, and ${untested.length - shown.length} more` : "";
  return [{ label: "not tested", text: `${tests}: the data lack ${columns}${more}`, rank: RANKS.untested }];
}

const MOST_UNTESTED = 3;
/** What the doctor would test, by the column that is missing. */
export const TESTS: ReadonlyMap<string, string> = new Map([
  ["policy_logprobs.rescore", "decoding apart from prefill"],
  ["entropy.rollout", "sampling filters"],
  ["topk_logprobs", "alternatives"],
  ["response_token_ids", "single tokens"],
  ["prompt_token_ids", "different prompts"],
  ["weight_versions", "older weights"],
  ["rollout_weights", "equal weights"],
  ["step", "when it began"],
  ["rank", "one rank"],
  ["environment", "one environment"],
]);
