import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { SweepConfig } from "../../../../src/results/sweep.ts";
import type { CorrectBins, RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import {
  type Correction,
  formatCorrection,
  parseCorrection,
} from "../../../../src/trainers/neutral/index.ts";
import { client } from "../../api/client.ts";
import { correctionParams, readCorrection, USUAL_CORRECTION } from "../../state/correction.ts";
import { correctBins, type Loaded, settle, table } from "../../state/loaded.ts";
import { formatSteps, parseSteps, type StepRange } from "../../state/step-range.ts";
import { useSweep } from "../../state/sweep.ts";
import { navigate, route } from "../../state/url.ts";
import { CorrectionEditor } from "../../ui/correction-editor.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Configs } from "./configs.tsx";
import { DroppedTable, FiguresTable } from "./figures-table.tsx";
import { HistogramFigure } from "./histogram-figure.tsx";
import { OverSteps } from "./over-steps.tsx";
import { inSteps } from "./prepared.ts";
import { Recommendation } from "./recommendation.tsx";
import { useQuestion } from "./use-question.ts";
import "./style.css";

/** What a correction would do, with thresholds to drag. */
export function CorrectView({ info }: ViewProps) {
  if (info.tokens === 0)
    return <p class="failed">No token of this run has both log-probs: there is nothing to correct.</p>;
  return <WhenLoaded of={table()}>{(sequences) => <OfSteps info={info} table={sequences} />}</WhenLoaded>;
}

/** Over the selected steps; a bundle has the sums of the whole run only. */
function OfSteps({ info, table }: { readonly info: RunInfo; readonly table: SequenceTable }) {
  const range = info.bundled ? null : parseSteps(route.value.params.steps ?? "");
  const [from, to] = range ?? [];
  const { correction: asked, problem } = readCorrection(route.value.params);
  const sweep = useSweep(info, range);
  const { value: swept } = sweep.swept;
  const report = swept.state === "ready" ? swept.value : undefined;
  const recommended = report?.corrections.find(({ name }) => name === report.recommendation.name);
  // If the address has no correction, the page opens with the recommended one.
  const isKnown = asked !== undefined || sweep.ask !== undefined || swept.state !== "loading";
  const correction = asked ?? (recommended ? parseCorrection(recommended.correction_text) : USUAL_CORRECTION);
  const sums = useMemo(() => {
    if (range === null) return correctBins();
    const own = signal<Loaded<CorrectBins>>({ state: "loading" });
    settle(client.correctBins(formatSteps(range)), own);
    return own;
  }, [table, from, to]);
  const inside = useMemo(() => (range === null ? table : inSteps(table, range)), [table, from, to]);
  return (
    <div class="correct-view">
      <header class="correct-head">
        <h1>Correction</h1>
        <Recommendation {...sweep} correction={correction} />
      </header>
      {problem !== undefined && <p class="failed">{problem}</p>}
      {isKnown && (
        <WhenLoaded of={sums}>
          {(bins) => (
            <OfCorrection
              info={info}
              table={inside}
              sums={bins}
              range={range}
              correction={correction}
              known={
                recommended?.correction_text === formatCorrection(correction) ? report?.configs : undefined
              }
            />
          )}
        </WhenLoaded>
      )}
    </div>
  );
}

function OfCorrection({
  info,
  table,
  sums,
  range,
  correction,
  known,
}: {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly sums: CorrectBins;
  readonly range: StepRange | null;
  readonly correction: Correction;
  readonly known: readonly SweepConfig[] | undefined;
}) {
  const question = useQuestion(table, sums, range, correction);
  const { figures, exact, tokens, isHeld } = question;
  const change = (next: Correction, replace = false): void => {
    navigate({ params: correctionParams(next) }, { replace });
  };
  return (
    <>
      <div class="correct-top">
        <Configs info={info} correction={correction} exact={exact} known={known} onChange={change} />
        <CorrectionEditor correction={correction} onChange={change} />
      </div>
      <div class="correct-body">
        <HistogramFigure info={info} question={question} onChange={change} />
        <div class="correct-side">
          <FiguresTable
            figures={figures}
            tokens={tokens}
            hasVeto={correction.steps.some(({ action }) => action === "veto")}
            exact={exact}
          />
          <DroppedTable figures={figures} exact={exact} />
        </div>
      </div>
      {info.steps.length > 1 && !info.bundled && (
        <OverSteps correction={correction} held={isHeld} marked={range} steps={info.steps} />
      )}
    </>
  );
}
