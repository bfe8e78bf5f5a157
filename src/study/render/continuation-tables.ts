/**
 * Outcomes of forced texts that are continued freely.
 *
 * @module
 */

import { capitalize, formatPlainShare, plural } from "../../core/text/index.ts";
import { makeTable, type Table } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import type { CaseContinuation, CaseStudy } from "../results/texts.ts";
import { coefficient, makeColumns, NONE, yesNo } from "./values.ts";

export function continuationTable({ continuations: rows, reference }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable(
    "continuations",
    "Right answers when wrong texts are continued",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.text("continued", ({ place }) => namePlace(place)),
      by.figure("texts", "count", ({ texts }) => texts, { priority: 3 }),
      by.figure("samples", "count", ({ samples }) => samples, { priority: 4 }),
      by.figure("forced", "share", ({ forced_share }) => forced_share, {
        priority: 3,
        meaning: "share of the response that is forced",
      }),
      by.figure("right", "share", ({ right }) => right, { priority: 1 }),
      by.figure(reference, "share", (row) => row.reference_right, {
        priority: 1,
        meaning: "the reference's share on the same texts",
      }),
      by.figure("points", "signed", ({ difference }) => difference && 100 * difference.mean, {
        priority: 1,
        meaning: "checkpoint − reference, in per cent of the samples",
      }),
      by.interval(
        "95 % interval",
        ({ difference }) => {
          const interval = difference?.interval ?? null;
          return interval && { low: 100 * interval.low, high: 100 * interval.high };
        },
        { signed: true, priority: 3 },
      ),
      by.p("adjusted p", ({ difference }) => difference?.adjusted_p_value, {
        priority: 1,
        meaning: "Wilcoxon over problems, Holm",
      }),
      by.text("significant", ({ difference }) => yesNo(difference?.significant ?? null), { priority: 4 }),
      by.figure("no answer", "share", ({ unanswered }) => unanswered, {
        priority: 2,
        meaning: "continuations that state no final answer; they are not right",
      }),
      by.text(
        "with KL",
        ({ with_kl }) => (with_kl === null ? NONE : coefficient(with_kl.coefficient, with_kl.interval)),
        {
          priority: 4,
          align: "right",
          meaning: "rank correlation over problems of the difference with mean KL",
        },
      ),
    ],
    "each policy continues freely after the forced part; a share is over samples, texts, problems",
  );
}

/** `from after the first error`. */
export function namePlace(place: string): string {
  if (place === "start") return "from the prompt";
  if (place === "before_error") return "from before the first error";
  if (place === "after_error") return "from after the first error";
  return `from ${formatPlainShare(Number(place))} of the text`;
}

export interface PlacedContinuations {
  /** `From after the first error (12 tokens forced)`. */
  readonly title: string;
  readonly all: readonly CaseContinuation[];
}

/** A case's continuations by place, in the order of the text. */
export function groupContinuations({
  continuations,
}: Pick<CaseStudy, "continuations">): PlacedContinuations[] {
  const places = [...new Set(continuations.map(({ place }) => place))];
  return places.map((place) => {
    const all = continuations.filter((one) => one.place === place);
    const name = namePlace(place);
    const forced = plural(all[0]?.position ?? 0, "token");
    return { title: `${capitalize(name)} (${forced} forced)`, all };
  });
}

/** `dpo: 1 of 4 right, 2 without an answer`. */
export function tellOutcome({ policy, samples, right, unanswered }: CaseContinuation): string {
  const none = unanswered === 0 ? "" : `, ${unanswered} without an answer`;
  return `${policy}: ${right} of ${samples} right${none}`;
}
