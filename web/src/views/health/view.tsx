import { client } from "../../api/client.ts";
import { healthTables, logged } from "../../state/loaded.ts";
import { useStepTables } from "../../state/step-tables.ts";
import { DocumentView } from "../../ui/document-view.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { LoggedPanel } from "./logged-panel.tsx";
import "./style.css";

/** Reasons other than the mismatch why a run learns little, each with its limit and its samples. */
export function HealthView({ info }: ViewProps) {
  const { range, isWhole, busy, tables } = useStepTables(info, healthTables, client.healthTables);
  return (
    <div class="health" aria-busy={busy}>
      <h1>Health of the run</h1>
      {range !== null && (
        <p class="note">
          {isWhole
            ? "Of the whole run: a bundle cannot sum the chosen steps."
            : `Steps ${range[0]} to ${range[1]} only.`}
        </p>
      )}
      <WhenLoaded of={{ value: tables }}>{(page) => <DocumentView of={page} />}</WhenLoaded>
      <WhenLoaded of={logged()}>{(of) => <LoggedPanel of={of} range={range} />}</WhenLoaded>
    </div>
  );
}
