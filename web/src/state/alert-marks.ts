import type { ChartMark } from "../../../src/render/charts/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import type { RaisedAlert } from "../../../src/results/alerts.ts";

/** Alerts of steps on the charts; those of later steps appear with them. */
export function markSteps(alerts: readonly RaisedAlert[], steps: readonly number[]): ChartMark[] {
  return alerts
    .flatMap(({ since, text }) =>
      since !== null && steps.includes(since) ? [{ x: since, label: `alert: ${printable(text)}` }] : [],
    )
    .sort((a, b) => a.x - b.x);
}
