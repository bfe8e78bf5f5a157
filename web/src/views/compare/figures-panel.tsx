import { useMemo } from "preact/hooks";
import {
  formatCount,
  formatFigure,
  formatNumber,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import type { ComparedRun, ComparedRuns, RunComparison } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { rightWrong } from "../../state/right-wrong.ts";
import type { StepRange } from "../../state/step-range.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { RightWrongFigures } from "../../ui/right-wrong-figures.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { WholeRunTag } from "../../ui/steps-chip.tsx";
import { comparedFigures } from "./figures.ts";
import { sayRange } from "./over-steps.ts";
import { describeDifference } from "./runs.ts";

/** Pooled figures of both runs in one table, and how sure their difference is. */
export function FiguresPanel({
  first,
  other,
}: {
  readonly first: ComparedRuns["first"];
  readonly other: ComparedRun;
}) {
  const figures = useMemo(() => comparedFigures(first.metrics, other.metrics), [first, other]);
  const names = { a: first.name, b: other.name };
  return (
    <section aria-labelledby="compare-figures">
      <div class="head">
        <h2 id="compare-figures">Over all tokens</h2>
        <WholeRunTag />
        <ExportMenu
          name="compared-figures"
          rows={() =>
            figures.map(({ name, a, b, difference, ratio }) => ({
              figure: name,
              a: a,
              b: b,
              difference,
              ratio,
            }))
          }
        />
      </div>
      <ScrollBox label="Figures of both runs">
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">figure</th>
              <th scope="col" class="is-a">
                A {names.a}
              </th>
              <th scope="col" class="is-b">
                B {names.b}
              </th>
              <th scope="col">B − A</th>
              <th scope="col">B / A</th>
            </tr>
          </thead>
          <tbody>
            {figures.map(({ name, help, a, b, difference, ratio, kind }) => {
              return (
                <tr key={name}>
                  <th scope="row" title={help}>
                    {name}
                  </th>
                  <td>{formatFigure(a, kind)}</td>
                  <td>{formatFigure(b, kind)}</td>
                  <td>{kind === "count" ? formatCount(difference) : formatSigned(difference)}</td>
                  <td>{formatNumber(ratio)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollBox>
      <p class="difference">{describeDifference(other.differences)}</p>
    </section>
  );
}

/** Right answers compared with wrong ones in the chosen steps, separately for each run. */
export function RightWrongPanel({
  a,
  b,
  names,
  steps,
}: {
  readonly a: SequenceTable;
  readonly b: SequenceTable;
  readonly names: RunComparison["names"];
  readonly steps: StepRange | null;
}) {
  const [inA, inB] = useMemo(
    () => [rightWrong(a, selectRows(a, steps)), rightWrong(b, selectRows(b, steps))],
    [a, b, steps?.[0], steps?.[1]],
  );
  const sides = [
    { name: `A ${names.a}`, split: inA },
    { name: `B ${names.b}`, split: inB },
  ];
  if (sides.every(({ split }) => split.right.length + split.wrong.length === 0)) return null;
  return (
    <section aria-labelledby="compare-right-wrong">
      <h2 id="compare-right-wrong">Right against wrong</h2>
      <div class="sides">
        {sides.map(({ name, split }) => (
          <div key={name}>
            <h3>{name}</h3>
            <RightWrongFigures {...split} />
          </div>
        ))}
      </div>
      <p class="muted">Mean |Δ| of each sequence{steps !== null && ` of ${sayRange(steps)}`}.</p>
    </section>
  );
}

function selectRows({ columns, length }: SequenceTable, steps: StepRange | null): Uint32Array | undefined {
  if (steps === null) return undefined;
  return Uint32Array.from({ length }, (_, row) => row).filter(
    (row) => columns.step[row]! >= steps[0] && columns.step[row]! <= steps[1],
  );
}
