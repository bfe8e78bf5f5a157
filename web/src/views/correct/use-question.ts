/**
 * A correction with its prepared and its exact answers:
 *
 *     address ─► axis, bins
 *     prepared sums ─┬─► sides ─► picture     per axis and correction: a drag redraws, but sums nothing again
 *                    └─► figures              from bins, at every move of a line
 *     server ─► exact                         after a line is released
 *
 * @module
 */
import { useMemo, useState } from "preact/hooks";
import type { CorrectBins } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { type Correction, formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { client } from "../../api/client.ts";
import { useExact } from "../../state/exact.ts";
import { AXES, linesOn, mainAxis } from "../../state/lines.ts";
import type { StepRange } from "../../state/step-range.ts";
import { route } from "../../state/url.ts";
import { figuresNow, listSides, makeAxis, makePicture, prepare } from "./prepared.ts";

export type Question = ReturnType<typeof useQuestion>;

export function useQuestion(
  table: SequenceTable,
  sums: CorrectBins,
  range: StepRange | null,
  correction: Correction,
) {
  const prepared = useMemo(() => prepare(table, sums), [table, sums]);
  const { params } = route.value;
  const text = formatCorrection(correction);
  const axisName = AXES.find((name) => name === params.axis) ?? mainAxis(correction);
  const [held, setHeld] = useState<Correction>();
  // While a line is held, the axis must not move under the pointer.
  const axisKey = held === undefined ? text : formatCorrection(held);
  const axis = useMemo(() => makeAxis(prepared, held ?? correction, axisName), [prepared, axisKey, axisName]);
  const sides = useMemo(() => listSides(prepared, axisName), [prepared, axisName]);
  const picture = useMemo(() => makePicture(sides, correction, axisName, axis), [sides, text, axis]);
  const figures = useMemo(() => figuresNow(prepared, correction), [prepared, text]);
  const isHeld = held !== undefined;
  const exact = useExact(client.correct, { correction: text, steps: range }, isHeld);
  const { sides: summed, below } = prepared.sums;
  return {
    ...{ prepared, correction, axisName, sides, picture, figures, exact, isHeld },
    /** Tokens of the run, or of the chosen steps. */
    tokens: summed.reduce((sum, side) => sum + below(side, "tokens", Infinity), 0),
    lines: linesOn(correction, axisName),
    hold: (holds: boolean) => setHeld((before) => (holds ? (before ?? correction) : undefined)),
  };
}
