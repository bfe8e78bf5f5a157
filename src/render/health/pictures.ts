import { lineChart } from "../charts/line-chart.ts";
import { HEALTH_TITLES, type HealthCheck } from "./words.ts";

interface Points {
  readonly xLabel: string;
  readonly unit: string;
  readonly isShare: boolean;
  readonly points: readonly (readonly [x: number, y: number | null])[];
}

/** SVG of the check's parts as a line; undefined with fewer than two of them. */
export function healthPicture(check: HealthCheck): string | undefined {
  const { xLabel, unit, isShare, points } = choosePoints(check);
  if (points.length < 2) return undefined;
  return lineChart(
    {
      id: `health-${check.id.replace("_", "-")}`,
      title: HEALTH_TITLES[check.id],
      unit,
      xLabel,
      xs: points.map(([x]) => x),
      lines: [{ label: unit, color: "blue", values: points.map(([, y]) => y) }],
      scale: "linear",
      kind: isShare ? "share" : "number",
      fromZero: true,
      extreme: "most",
    },
    { width: 480, height: 220 },
  );
}

function choosePoints(check: HealthCheck): Points {
  switch (check.id) {
    case "flat_groups":
    case "truncation":
      return {
        xLabel: "step",
        unit: check.id === "flat_groups" ? "share of groups" : "share of responses",
        isShare: true,
        points: check.per_step.flatMap(({ step, count, of }) => (step === null ? [] : [[step, count / of]])),
      };
    case "staleness":
      return {
        xLabel: "versions behind",
        unit: "mean |Δ|, nats",
        isShare: false,
        points: check.parts.map(({ staleness, delta_abs_mean }) => [staleness, delta_abs_mean]),
      };
    case "reward_length":
      return {
        xLabel: "response tokens, at most",
        unit: "mean reward",
        isShare: false,
        // Tenths with equal lengths end at the same x.
        points: check.tenths
          .filter(({ longest }, at) => longest > (check.tenths[at - 1]?.longest ?? -1))
          .map(({ longest, reward_mean }) => [longest, reward_mean]),
      };
  }
}
