import type { HealthPage } from "../../../../src/results/index.ts";
import { client } from "../../api/client.ts";
import { healthTables, logged } from "../../state/loaded.ts";
import { useStepTables } from "../../state/step-tables.ts";
import { makeHref } from "../../state/url.ts";
import { ReportPictures, ReportTables } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { LoggedPanel } from "./logged-panel.tsx";
import "./style.css";

/** What besides the mismatch makes a run learn little, each with its limit and its samples. */
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
      <WhenLoaded of={{ value: tables }}>
        {({ checks }) => (
          <>
            {checks.map((check) => (
              <Check key={check.title} check={check} />
            ))}
          </>
        )}
      </WhenLoaded>
      <WhenLoaded of={logged()}>{(of) => <LoggedPanel of={of} range={range} />}</WhenLoaded>
    </div>
  );
}

function Check({
  check: { title, level, word, sentence, limit, samples, picture, table },
}: {
  readonly check: HealthPage["checks"][number];
}) {
  return (
    <section aria-label={title}>
      <h2>
        {title} <span class={`level ${level}`}>{word}</span>
      </h2>
      <p>{sentence}</p>
      <p class="muted">
        {limit} {samples !== null && <a href={makeHref(samples.move)}>{samples.text}</a>}
      </p>
      <div class="parts">
        {picture !== null && <ReportPictures of={[picture]} />}
        {table !== null && <ReportTables of={[table]} />}
      </div>
    </section>
  );
}
