import { useMemo } from "preact/hooks";
import {
  formatCount,
  formatFigure,
  formatNumber,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import type { ComparedRuns, RunInfo, StepSeries } from "../../../../src/results/view.ts";
import { brushSteps } from "../../state/brush-steps.ts";
import { nameComparedWith } from "../../state/compared-with.ts";
import { comparedRuns, otherRun, steps } from "../../state/loaded.ts";
import { parseSteps } from "../../state/step-range.ts";
import { makeHref, param } from "../../state/url.ts";
import { ChartView, useCrosshair } from "../../ui/chart-view.tsx";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { WholeRunTag } from "../../ui/steps-chip.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import { chartRuns, formatInterval, formatOver, isShown, listRuns, type RunRow } from "./runs.ts";

const stepsParam = param("steps", "");

/** This run and all others: figures, their difference from this run, and a chart over steps. */
export function RunsPanel({ info, chosen }: { readonly info: RunInfo; readonly chosen: number }) {
  return (
    <section aria-labelledby="compare-runs">
      <WhenLoaded of={comparedRuns()}>
        {(runs) => (
          <>
            <RunsTable runs={runs} info={info} chosen={chosen} />
            <WhenLoaded of={steps()}>
              {(own) => <RunsChart names={[runs.first.name, ...info.compared]} own={own} />}
            </WhenLoaded>
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

function RunsTable({
  runs,
  info,
  chosen,
}: {
  readonly runs: ComparedRuns;
  readonly info: RunInfo;
  readonly chosen: number;
}) {
  const rows = useMemo(() => listRuns(runs), [runs]);
  return (
    <>
      <div class="head">
        <h1 id="compare-runs">{rows.length} runs</h1>
        <WholeRunTag />
        <ExportMenu name="compared-runs" rows={() => rows.map(exportRow)} />
      </div>
      <ScrollBox label="Figures of all runs">
        <table class="figures all-runs">
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">sequences</th>
              <th scope="col">tokens</th>
              <th scope="col">mean |Δ|</th>
              <th scope="col">p99 |Δ|</th>
              <th scope="col">max |Δ|</th>
              <th scope="col">k3</th>
              <th scope="col" title="effective sample size: share of the tokens">
                ESS
              </th>
              <th
                scope="col"
                title="mean |Δ| less that of the first run; bold where the interval leaves out 0"
              >
                − {rows[0]!.name}
              </th>
              <th scope="col" title="of the difference, over prompts; each run by itself against the first">
                95 %
              </th>
              <th scope="col">over</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              <tr key={row.name} class={place === chosen + 1 ? "is-chosen" : undefined}>
                <th scope="row">
                  {place === 0 ? (
                    row.name
                  ) : (
                    <a
                      href={makeHref({ params: { ...FORGET, with: nameComparedWith(info, place - 1) } })}
                      aria-current={place === chosen + 1 ? "true" : undefined}
                    >
                      {row.name}
                    </a>
                  )}
                </th>
                <Figures {...row} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

/** Parameters that belong to a pair of the previous run. */
const FORGET = { pair: undefined, at: undefined };

function Figures({ metrics, differences }: RunRow) {
  const figure = differences?.figures.delta_abs_mean;
  const difference = figure && formatSigned(figure.difference);
  return (
    <>
      <td>{formatCount(metrics.sequences)}</td>
      <td>{formatCount(metrics.tokens)}</td>
      <td>{formatNumber(metrics.delta_abs_mean)}</td>
      <td>{formatNumber(metrics.delta_abs_p99)}</td>
      <td>{formatNumber(metrics.delta_abs_max)}</td>
      <td>{formatNumber(metrics.k3)}</td>
      <td>{formatFigure(metrics.ess, "near-one")}</td>
      <td>{figure && isShown(figure) ? <b>{difference}</b> : difference}</td>
      <td>{figure && (formatInterval(figure) ?? <span class="muted">too few {differences.unit}s</span>)}</td>
      <td>{differences && formatOver(differences)}</td>
    </>
  );
}

function exportRow({ name, metrics, differences }: RunRow) {
  const figures = Object.entries(differences?.figures ?? {}).flatMap(
    ([figure, { difference, low, high }]) => [
      [`${figure}_difference`, difference],
      [`${figure}_low`, low],
      [`${figure}_high`, high],
    ],
  );
  return {
    run: name,
    sequences: metrics.sequences,
    tokens: metrics.tokens,
    delta_abs_mean: metrics.delta_abs_mean,
    delta_abs_p99: metrics.delta_abs_p99,
    delta_abs_max: metrics.delta_abs_max,
    k3: metrics.k3,
    ess: metrics.ess,
    over: differences?.over ?? null,
    ...Object.fromEntries(figures),
  };
}

function RunsChart({ names, own }: { readonly names: readonly string[]; readonly own: StepSeries }) {
  const crosshair = useCrosshair();
  const loaded = names.slice(1).map((_, at) => otherRun(at).steps().value);
  const ready = loaded.flatMap((one) => (one.state === "ready" ? [one.value] : []));
  const spec = useMemo(
    () =>
      ready.length === loaded.length
        ? chartRuns([own, ...ready].map((series, at) => ({ name: names[at]!, steps: series })))
        : undefined,
    [own, names.join("\n"), ...ready],
  );
  if (spec === undefined) return null;
  const choose = brushSteps(spec.xs);
  return (
    <ChartView
      spec={spec}
      crosshair={crosshair}
      marked={parseSteps(stepsParam.value)}
      onOpen={(step) => choose(step, step, false)}
      onBrush={choose}
    />
  );
}
