/**
 * How much checkpoints attend to the first error, and their KL when they cannot.
 *
 * @module
 */

import { makeTable, type Table } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import type { PairedDifference } from "../results/wrong-texts.ts";
import { coefficient, figure, makeColumns, NONE, yesNo } from "./values.ts";

export function attentionTable({ attention: rows, reference }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable(
    "attention",
    "Attention to the first error",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.figure("texts", "count", ({ texts }) => texts, { priority: 3 }),
      by.figure("to the error", "share", ({ to_error }) => to_error, { priority: 1 }),
      by.figure(reference, "share", (row) => row.reference_to_error, {
        priority: 1,
        meaning: "the reference's share on the same texts",
      }),
      by.figure("points", "signed", ({ difference }) => points(difference.mean), {
        priority: 1,
        meaning: "checkpoint − reference, in per cent of all attention",
      }),
      by.interval("95 % interval", ({ difference }) => intervalInPoints(difference), {
        signed: true,
        priority: 3,
      }),
      by.p("adjusted p", ({ difference }) => difference.adjusted_p_value, {
        priority: 1,
        meaning: "Wilcoxon over problems, Holm",
      }),
      by.text("significant", ({ difference }) => yesNo(difference.significant), { priority: 4 }),
      by.figure("before it", "share", ({ to_control }) => to_control, {
        priority: 3,
        meaning: "to as many tokens right before the error",
      }),
      by.figure("points there", "signed", (row) => points(row.control_difference?.mean), { priority: 2 }),
      by.text(
        "with KL",
        ({ with_kl }) => (with_kl === null ? NONE : coefficient(with_kl.coefficient, with_kl.interval)),
        {
          priority: 3,
          align: "right",
          meaning: "rank correlation over problems of the difference with mean KL after the error",
        },
      ),
      by.p("p of it", ({ with_kl }) => with_kl?.adjusted_p_value, { priority: 4, meaning: "Holm" }),
      by.text(
        "strongest head",
        ({ strongest_head }) =>
          strongest_head === null
            ? NONE
            : `${strongest_head.layer}.${strongest_head.head}: ${figure(strongest_head.share, "share")}, ${figure(strongest_head.reference_share, "share")}`,
        {
          priority: 4,
          align: "right",
          meaning: "layer and head from 0; its share, and the same head's of the reference",
        },
      ),
    ],
    "share of the attention after the error that goes to it, mean over layers and heads; it shows where a model reads, not why it answers",
  );
}

function points(share: number | undefined): number | undefined {
  return share === undefined ? undefined : 100 * share;
}

function intervalInPoints({ interval }: PairedDifference): PairedDifference["interval"] {
  return interval && { low: 100 * interval.low, high: 100 * interval.high };
}

/** Only for checkpoints whose models allow hiding tokens. */
export function hiddenTable({ attention }: KlReport): Table {
  const rows = attention.flatMap(({ checkpoint, hidden }) =>
    hidden === null ? [] : [{ checkpoint, ...hidden }],
  );
  const by = makeColumns(rows);
  return makeTable(
    "hidden",
    "KL after the error with the error hidden",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.figure("problems", "count", ({ problems }) => problems, { priority: 3 }),
      by.figure("KL", "number", ({ kl }) => kl, { priority: 1 }),
      by.figure("error hidden", "number", ({ kl_without_error }) => kl_without_error, { priority: 1 }),
      by.figure("before it hidden", "number", ({ kl_without_control }) => kl_without_control, {
        priority: 1,
        meaning: "as many tokens right before the error",
      }),
      by.figure("difference", "signed", ({ difference }) => difference.mean, {
        priority: 2,
        meaning: "error hidden − KL",
      }),
      by.interval("95 % interval", ({ difference }) => difference.interval, { signed: true, priority: 4 }),
      by.p("adjusted p", ({ difference }) => difference.adjusted_p_value, { priority: 2, meaning: "Holm" }),
      by.figure("against before it", "signed", ({ against_control }) => against_control?.mean, {
        priority: 3,
        meaning: "error hidden − before it hidden",
      }),
      by.p("p of it", ({ against_control }) => against_control?.adjusted_p_value, {
        priority: 4,
        meaning: "Holm",
      }),
    ],
    "under both policies, no token after the error attends to the hidden ones; KL that vanishes was a reaction to seeing them, KL that grows reacts to the gap",
  );
}
