/**
 * What the KL depends on, and the outcomes of continued texts, as pictures.
 *
 * @module
 */

import { groupedBars } from "../../render/charts/index.ts";
import { printable } from "../../render/text/index.ts";
import type { KlReport } from "../results/report.ts";
import { namePlace } from "./continuation-tables.ts";
import type { KlPicture } from "./html-pictures.ts";

const MOST_BARS = 24;
const WIDTH = 560;

export function followUpPictures(report: KlReport): KlPicture[] {
  return [...gradientPicture(report), ...continuationPictures(report)];
}

function gradientPicture({ gradients }: KlReport): KlPicture[] {
  if (gradients.length === 0 || gradients.length > MOST_BARS) return [];
  const svg = groupedBars(
    gradients.map(({ checkpoint }) => printable(checkpoint)),
    [
      {
        label: "on the error",
        color: "orange",
        kind: "share",
        values: gradients.map(({ to_error }) => to_error),
      },
      {
        label: "on as many tokens before it",
        color: "blue",
        kind: "share",
        values: gradients.map(({ to_control }) => to_control ?? Number.NaN),
      },
      { label: "if spread evenly", color: "grey", kind: "share", values: gradients.map(({ even }) => even) },
    ],
    { title: "Gradient × input of the KL behind the first error", width: WIDTH },
  );
  return [{ id: "gradients-at-first-error", svg }];
}

/** A picture for each place. */
function continuationPictures({ continuations, reference }: KlReport): KlPicture[] {
  const places = [...new Set(continuations.map(({ place }) => place))];
  return places.flatMap((place) => {
    const rows = continuations.filter((row) => row.place === place);
    if (rows.length > MOST_BARS) return [];
    const svg = groupedBars(
      rows.map(({ checkpoint }) => printable(checkpoint)),
      [
        { label: "checkpoint", color: "blue", kind: "share", values: rows.map(({ right }) => right) },
        {
          label: printable(reference),
          color: "grey",
          kind: "share",
          values: rows.map(({ reference_right }) => reference_right ?? Number.NaN),
        },
      ],
      { title: `Right answers when continued ${namePlace(place)}`, width: WIDTH },
    );
    return [{ id: `continued-${place.replaceAll("_", "-").replace(".", "-")}`, svg }];
  });
}
