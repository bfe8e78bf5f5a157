/**
 * What the KL at spikes depends on.
 *
 * @module
 */

import { makeTable, type Table } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import type { SpikeDependence } from "../results/texts.ts";
import { figure, makeColumns, quoted, yesNo } from "./values.ts";

export function gradientTable({ gradients: rows }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable(
    "gradients",
    "What the KL after the first error depends on",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.figure("texts", "count", ({ texts }) => texts, { priority: 3 }),
      by.figure("spikes", "count", ({ spikes }) => spikes, { priority: 4 }),
      by.figure("on the error", "share", ({ to_error }) => to_error, { priority: 1 }),
      by.figure("before it", "share", ({ to_control }) => to_control, {
        priority: 1,
        meaning: "on as many tokens right before the error",
      }),
      by.figure("if even", "share", ({ even }) => even, {
        priority: 2,
        meaning: "the error's share of the tokens themselves",
      }),
      by.figure("points", "signed", (row) => points(row.against_control?.mean), {
        priority: 1,
        meaning: "on the error − before it, in per cent of all",
      }),
      by.interval("95 % interval", ({ against_control }) => intervalInPoints(against_control), {
        signed: true,
        priority: 3,
      }),
      by.p("adjusted p", ({ against_control }) => against_control?.adjusted_p_value, {
        priority: 1,
        meaning: "Wilcoxon over problems, Holm",
      }),
      by.text("significant", (row) => yesNo(row.against_control?.significant ?? null), { priority: 4 }),
      by.figure("at the error", "signed", ({ at_error }) => at_error, {
        priority: 3,
        meaning: "Σ gradient × input, nats: above 0, KL would fall if the error had less weight",
      }),
    ],
    "share of Σ |gradient × input| over all tokens before a spike, mean over spikes; a slope at the text as it is, not what another text would give",
  );
}

function points(share: number | undefined): number | undefined {
  return share === undefined ? undefined : 100 * share;
}

function intervalInPoints(
  difference: KlReport["gradients"][number]["against_control"],
): { readonly low: number; readonly high: number } | null {
  const interval = difference?.interval ?? null;
  return interval && { low: 100 * interval.low, high: 100 * interval.high };
}

/** `“ =” 31.8 %`, negative where the token lowers the KL; with its position if that is in the prompt. */
export function tellDependence({ token, position, share, gradient_times_input }: SpikeDependence): string {
  const signed = gradient_times_input < 0 ? -share : share;
  return `${quoted(token)}${position < 0 ? " of the prompt" : ` at ${position}`} ${figure(signed, "share")}`;
}
