import { report, steps } from "../../state/loaded.ts";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { Everything } from "./everything.tsx";
import { Spread } from "./spread.tsx";
import { StepPanel } from "./step-panel.tsx";
import { Where } from "./where.tsx";
import { Worst } from "./worst.tsx";
import "./style.css";
import { VerdictPanel } from "./verdict-panel.tsx";

/** A run over its steps: the verdict, how it went, where the mismatch is, and everything else that the report has. */
export function OverviewView({ info }: ViewProps) {
  return (
    <div class="overview">
      <h1 class="visually-hidden">Overview</h1>
      <WhenLoaded of={report()}>
        {(whole) => (
          <>
            <VerdictPanel report={whole} />
            {info.steps.length > 1 && (
              <WhenLoaded of={steps()}>{(data) => <StepPanel data={data} report={whole} />}</WhenLoaded>
            )}
            <Spread report={whole} />
            <Where report={whole} />
            <Worst report={whole} />
            <Everything report={whole} />
          </>
        )}
      </WhenLoaded>
    </div>
  );
}
