import type { DigitsPage, PageTable } from "../../../../src/results/index.ts";
import { digitsTables } from "../../state/loaded.ts";
import { Explained } from "../../ui/explained.tsx";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { OverSteps } from "../../ui/over-steps.tsx";
import { LinkedText } from "../../ui/place-link.tsx";
import { ReportPictures, ReportTables } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import "./style.css";

/** How sure the policies are about digits, and how far off: `logratio digits` as a page. */
export function DigitsView({ info }: ViewProps) {
  return (
    <div class="digits">
      <h1>Digits</h1>
      {info.has.digits ? (
        <WhenLoaded of={digitsTables()}>{(page) => <Digits page={page} />}</WhenLoaded>
      ) : (
        <p role="status">
          There are no figures for digits:{" "}
          {info.tokenizer === null
            ? "telling which tokens are digits needs a tokenizer (logratio view --tokenizer DIR)."
            : info.redacted
              ? "texts are redacted."
              : "no token of this run is a digit of its tokenizer."}
        </p>
      )}
    </div>
  );
}

function Digits({ page }: { readonly page: DigitsPage }) {
  return (
    <>
      <p class="muted inputs">{page.inputs.join(" · ")}</p>
      <section aria-label="How sure">
        <h2>How sure</h2>
        <Policies page={page} />
        <div class="pair">
          <ul class="facts">
            {page.headlines.map((line) => (
              <li key={line}>
                <LinkedText text={line} />
              </li>
            ))}
          </ul>
          <div class="stack">
            <ReportTables of={page.sure} />
          </div>
        </div>
      </section>
      <OverSteps charts={page.charts} />
      <section aria-label="By place and digit">
        <h2>By place and digit</h2>
        <div class="pair">
          {page.groups.map(({ picture, table }) => (
            <div class="stack" key={picture.id}>
              <ReportPictures of={[picture]} />
              <ReportTables of={table === null ? [] : [table]} />
            </div>
          ))}
        </div>
      </section>
      <Section title="Digit distributions" tables={page.distributions} />
      <Truth truth={page.truth} />
      <Section title="Single digits" tables={page.examples} />
      {page.absent.length > 0 && (
        <section aria-label="Absent">
          <h2>Absent</h2>
          <ul class="facts muted">
            {page.absent.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** How sure each policy is of its digits, as large figures. */
function Policies({ page: { policies, metrics } }: { readonly page: DigitsPage }) {
  return (
    <div class="confidence">
      <dl>
        {policies.map(({ name, probability, rest }) => (
          <div key={name} class={name}>
            <dt>{name} policy</dt>
            <dd>
              <b>{probability}</b>
              <span>probability of its digits (geometric mean)</span>
              <span>
                <Explained text={rest} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <ExportMenu name="digit metrics" rows={() => metrics} />
    </div>
  );
}

function Section({ title, tables }: { readonly title: string; readonly tables: readonly PageTable[] }) {
  if (tables.length === 0) return null;
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      <ReportTables of={tables} />
    </section>
  );
}

/** Answers against ground truth: how often right, and whether being sure meant being right. */
function Truth({ truth }: Pick<DigitsPage, "truth">) {
  if (truth === null) return null;
  return (
    <section class="truth" aria-label="Against ground truth">
      <h2>Against ground truth</h2>
      <p class="note">{truth.summary}</p>
      <div class="pair">
        <ReportPictures of={truth.calibration === null ? [] : [truth.calibration]} />
        <div class="stack">
          <ReportTables of={truth.tables} />
        </div>
      </div>
      <ReportTables of={[...truth.distributions, ...truth.wrong]} />
    </section>
  );
}
