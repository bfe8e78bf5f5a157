import { useMemo } from "preact/hooks";
import type { RunComparison, RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { comparedWith } from "../../state/compared-with.ts";
import { comparedRuns, otherRun, steps, table } from "../../state/loaded.ts";
import { parseSteps } from "../../state/step-range.ts";
import { makeHref, param } from "../../state/url.ts";
import { NATS, runScale } from "../../ui/color-scale.ts";
import { chooseScale } from "../../ui/legend.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { FiguresPanel, RightWrongPanel } from "./figures-panel.tsx";
import { PairPanel } from "./pair-panel.tsx";
import { findPair, orderedPairs, type Pairs, pairSort } from "./pairs.ts";
import { PairsPanel } from "./pairs-panel.tsx";
import { RunsPanel } from "./runs-panel.tsx";
import { StepsPanel } from "./steps-panel.tsx";
import "./style.css";
import { Warnings } from "./warnings.tsx";

const pairParam = param("pair", "");
const sortParam = param("pairs", "-mean");
const stepsParam = param("steps", "");
const withParam = param("with", "");

/** Compares this run with another, and with all others in one table. */
export function CompareView({ info }: ViewProps) {
  const at = comparedWith(info);
  if (at === undefined) {
    return (
      <div class="compare-view">
        <h1>Compare</h1>
        <p class="failed" role="alert">
          This run is not compared with {withParam.value}, but with{" "}
          <a href={makeHref({ params: { with: undefined } })}>{info.compared.join(", ")}</a>.
        </p>
      </div>
    );
  }
  return (
    <div class="compare-view">
      {info.compared.length > 1 && <RunsPanel info={info} chosen={at} />}
      <WithOther key={at} info={info} at={at} />
    </div>
  );
}

function WithOther({ info, at }: { readonly info: RunInfo; readonly at: number }) {
  const other = otherRun(at);
  return (
    <WhenLoaded of={other.comparison()}>
      {(compared) => (
        <>
          <h1>
            <span class="is-a">A</span> {compared.names.a} against <span class="is-b">B</span>{" "}
            {compared.names.b}
          </h1>
          <Warnings {...compared} />
          <WhenLoaded of={comparedRuns()}>
            {({ first, others }) => <FiguresPanel first={first} other={others[at]!} />}
          </WhenLoaded>
          <section aria-labelledby="compare-steps">
            <h2 id="compare-steps">Over the steps</h2>
            <WhenLoaded of={steps()}>
              {(a) => (
                <WhenLoaded of={other.steps()}>
                  {(b) => <StepsPanel a={a} b={b} comparison={compared} />}
                </WhenLoaded>
              )}
            </WhenLoaded>
          </section>
          <WhenLoaded of={table()}>
            {(a) => (
              <WhenLoaded of={other.table()}>
                {(b) => (
                  <WhenLoaded of={other.run()}>
                    {(infoB) => (
                      <Sequences a={a} b={b} infoA={info} infoB={infoB} other={at} compared={compared} />
                    )}
                  </WhenLoaded>
                )}
              </WhenLoaded>
            )}
          </WhenLoaded>
        </>
      )}
    </WhenLoaded>
  );
}

function Sequences({
  a,
  b,
  infoA,
  infoB,
  other,
  compared,
}: {
  readonly a: SequenceTable;
  readonly b: SequenceTable;
  readonly infoA: RunInfo;
  readonly infoB: RunInfo;
  /** Its place in `RunInfo.compared`. */
  readonly other: number;
  readonly compared: RunComparison;
}) {
  const { pairs, names } = compared;
  const all = useMemo((): Pairs => ({ a, b, pairs }), [a, b, pairs]);
  const sort = pairSort(sortParam.value);
  const range = parseSteps(stepsParam.value);
  const named = pairParam.value === "" ? undefined : findPair(pairs, pairParam.value);
  // Without one in the address, the first of the table is shown.
  const chosen = named ?? (pairParam.value === "" ? orderedPairs(all, sort, range)[0] : undefined);
  return (
    <>
      <RightWrongPanel a={a} b={b} names={names} steps={range} />
      {pairs.a.length === 0 ? (
        <p class="muted">No sequence of A has a partner in B: there are no texts to put side by side.</p>
      ) : (
        <>
          <PairsPanel all={all} sort={sort} steps={range} chosen={chosen} />
          {chosen === undefined ? (
            <p class="muted" role="status">
              {pairParam.value === ""
                ? "No pair is in these steps."
                : `There is no pair ${pairParam.value}: choose one in the table.`}
            </p>
          ) : (
            <PairPanel
              indexA={pairs.a[chosen]!}
              indexB={pairs.b[chosen]!}
              other={other}
              how={pairs.how[chosen]!}
              isAsked={named !== undefined}
              names={names}
              scale={chooseScale(NATS, runScale(Math.max(infoA.scales.delta, infoB.scales.delta), 0))}
              version={infoA.version}
            />
          )}
        </>
      )}
    </>
  );
}
