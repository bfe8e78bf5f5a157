import type { EvidencePicture } from "../../results/diagnosis.ts";
import type { ChartColor } from "../charts/chart-colors.ts";
import { groupedBars } from "../charts/grouped-bars.ts";
import { lineChart } from "../charts/line-chart.ts";
import type { PaletteColor } from "../charts/palette.ts";
import { pointChart } from "../charts/point-chart.ts";
import { signedBars } from "../charts/signed-bars.ts";
import { printable } from "../text/printable.ts";

const COLORS: readonly (ChartColor & PaletteColor)[] = ["blue", "orange", "teal", "purple", "gold", "pink"];
/** More bars than this do not make a readable picture. */
const MOST_BARS = 24;

/** A piece of evidence as SVG. */
export function evidenceChart(picture: EvidencePicture): string {
  const { kind, series, x_label, y_label } = picture;
  const title = printable(picture.title);
  if (kind === "bars" || !isNumeric(picture.x)) return barChart(picture, title);
  const [xLabel, yLabel] = [printable(x_label), printable(y_label)];
  const drawn = series.map(({ name, y }, at) => {
    return { label: printable(name), color: COLORS[at % COLORS.length] ?? "blue", values: y };
  });
  if (kind === "points") return pointChart(picture.x, drawn, { title, xLabel, yLabel });
  const order = picture.x.map((_, at) => at).sort((a, b) => numberAt(picture, a) - numberAt(picture, b));
  const values = series.flatMap(({ y }) => y.filter((value) => value !== null));
  return lineChart(
    {
      id: "evidence",
      title,
      unit: yLabel,
      xLabel,
      xs: order.map((at) => numberAt(picture, at)),
      lines: drawn.map((line) => ({ ...line, values: order.map((at) => line.values[at] ?? null) })),
      scale: "linear",
      kind: values.some((value) => value < 0) ? "signed" : "number",
      fromZero: values.every((value) => value >= 0),
      extreme: "furthest",
    },
    { width: 480, height: 250 },
  );
}

function barChart({ x, series }: EvidencePicture, title: string): string {
  const groups = x.slice(0, MOST_BARS).map((label) => printable(String(label)));
  const isSigned = series.some(({ y }) => y.some((value) => value !== null && value < 0));
  const bars = series.map(({ name, y }, at) => ({
    label: printable(name),
    color: COLORS[at % COLORS.length] ?? "blue",
    kind: isSigned ? ("signed" as const) : ("number" as const),
    values: groups.map((_, index) => y[index] ?? Number.NaN),
  }));
  return isSigned ? signedBars(groups, bars, { title }) : groupedBars(groups, bars, { title });
}

export function isNumeric(x: EvidencePicture["x"]): x is readonly number[] {
  return x.every((value) => typeof value === "number");
}

function numberAt({ x }: EvidencePicture, at: number): number {
  return Number(x[at]);
}
