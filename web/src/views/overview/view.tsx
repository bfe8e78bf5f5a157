import { report, steps } from "../../state/loaded.ts";
import { route } from "../../state/url.ts";
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
              <WhenLoaded of={steps()}>
                {(data) => <StepPanel info={info} data={data} report={whole} />}
              </WhenLoaded>
            )}
            <Worst />
            {route.value.params.steps !== undefined && (
              <p class="note">From here on: the whole run, whatever steps are chosen.</p>
            )}
            {whole.metrics.tokens > 0 && <Spread />}
            <Where />
            <Everything />
          </>
        )}
      </WhenLoaded>
    </div>
  );
}
