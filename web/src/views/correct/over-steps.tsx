import { useState } from "preact/hooks";
import { type Correction, formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { client } from "../../api/client.ts";
import { brushSteps } from "../../state/brush-steps.ts";
import { useExact } from "../../state/exact.ts";
import type { StepRange } from "../../state/step-range.ts";
import { useCrosshair } from "../../ui/chart-view.tsx";
import { CorrectionCharts } from "../../ui/correction-charts.tsx";
import { stepHref } from "../../ui/place-link.tsx";

/** The figures step by step, folded; requested when unfolded and when a line is released. */
export function OverSteps({
  correction,
  held,
  marked,
  steps,
}: {
  readonly correction: Correction;
  readonly held: boolean;
  readonly marked: StepRange | null;
  readonly steps: readonly number[];
}) {
  const [open, setOpen] = useState(true);
  const crosshair = useCrosshair();
  const exact = useExact(
    client.correctSteps,
    open ? { correction: formatCorrection(correction), steps: marked } : undefined,
    held,
  );
  const data = exact.state === "ready" ? exact.answer : exact.state === "asking" ? exact.last : undefined;
  return (
    <details class="over-steps" open onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Over the steps</h2>
      </summary>
      {exact.state === "failed" && <p class="failed">{exact.message}</p>}
      {data !== undefined && (
        <CorrectionCharts
          data={data}
          correction={correction}
          cut={null}
          crosshair={crosshair}
          marked={marked}
          onOpen={(step, last) => {
            location.hash = stepHref(step, last);
          }}
          onBrush={brushSteps(steps)}
        />
      )}
    </details>
  );
}
