import type { RaisedAlert } from "../../../../src/results/alerts.ts";
import { client } from "../../api/client.ts";
import { alerts, report, reportTables, steps } from "../../state/loaded.ts";
import { useStepTables } from "../../state/step-tables.ts";
import { ComparisonBanner } from "../../ui/comparison-warnings.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { AlertsPanel } from "./alerts-panel.tsx";
import { Places } from "./places.tsx";
import { StepPanel } from "./step-panel.tsx";
import "./style.css";
import { VerdictPanel } from "./verdict-panel.tsx";

const NO_ALERTS: readonly RaisedAlert[] = [];

/** The report of a run: verdict, alerts, charts over steps, where the mismatch is, and all other figures. */
export function StepsView({ info }: ViewProps) {
  const loaded = alerts().value;
  const raised = loaded.state === "ready" ? loaded.value.alerts : NO_ALERTS;
  return (
    <div class="overview">
      <h1 class="visually-hidden">Steps</h1>
      <ComparisonBanner compared={info.compared} />
      <WhenLoaded of={reportTables()}>
        {(page) => (
          <>
            <VerdictPanel page={page} />
            {raised.length > 0 && <AlertsPanel alerts={raised} />}
            {info.steps.length > 1 && (
              <WhenLoaded of={report()}>
                {(whole) => (
                  <WhenLoaded of={steps()}>
                    {(data) => <StepPanel info={info} data={data} report={whole} alerts={raised} />}
                  </WhenLoaded>
                )}
              </WhenLoaded>
            )}
            <Tables info={info} />
          </>
        )}
      </WhenLoaded>
    </div>
  );
}

/** The server's tables of the report, of the chosen steps; a bundle only has those of the whole run. */
function Tables({ info }: ViewProps) {
  const { range, isWhole, busy, tables } = useStepTables(info, reportTables, client.reportTables);
  return (
    <WhenLoaded of={{ value: tables }}>
      {(page) => (
        <div class="tables document" aria-busy={busy}>
          {range !== null && (
            <p class="note">
              {isWhole
                ? "A bundle cannot sum the chosen steps: below are the run's worst places in these steps, and figures of the whole run."
                : `From here on: steps ${range[0]} to ${range[1]} only.`}
            </p>
          )}
          <Places page={page} within={isWhole ? range : null} />
        </div>
      )}
    </WhenLoaded>
  );
}
