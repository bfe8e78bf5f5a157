import { useMemo } from "preact/hooks";
import type { DigitFigures, DigitsReport } from "../../../../src/protocol/digits.ts";
import type { Table } from "../../../../src/report/content/table.ts";
import { headlines, inputParts, placeName } from "../../../../src/report/digits/content.ts";
import { digitTables } from "../../../../src/report/digits/tables.ts";
import { printable } from "../../../../src/report/printable.ts";
import { digits } from "../../state/loaded.ts";
import { ChartPicture } from "../../ui/chart-picture.tsx";
import { flatRows } from "../../ui/export.ts";
import { LinkedText } from "../../ui/place-link.tsx";
import { ReportTable } from "../../ui/report-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { DigitExamples } from "./examples.tsx";
import { LossTable } from "./loss-table.tsx";
import { OverSteps } from "./over-steps.tsx";
import { lossBars } from "./pictures.ts";
import { Confidence, GapTable } from "./policies.tsx";
import "./style.css";
import { Truth } from "./truth.tsx";

/** How sure the policies are about digits, and how far off: `logratio digits` as a page. */
export function DigitsView({ info }: ViewProps) {
  return (
    <div class="digits">
      <h1>Digits</h1>
      {info.has.digits ? (
        <WhenLoaded of={digits()}>{(report) => <Digits report={report} />}</WhenLoaded>
      ) : (
        <p role="status">
          There are no figures of digits:{" "}
          {info.tokenizer === null
            ? "only a tokenizer says which tokens are digits (logratio view --tokenizer DIR)."
            : info.redacted
              ? "texts are redacted."
              : "no token of this run is a digit of its tokenizer."}
        </p>
      )}
    </div>
  );
}

function Digits({ report }: { readonly report: DigitsReport }) {
  const tables = useMemo(() => digitTables(report), [report]);
  const { right_sequences: right, wrong_sequences: wrong } = report;
  const correctness = tables.find(({ id }) => id === "correctness");
  return (
    <>
      <p class="muted inputs">{inputParts(report).map(printable).join(" · ")}</p>
      <section class="sure" aria-label="How sure">
        <h2>How sure</h2>
        <Confidence report={report} />
        <div class="pair">
          <ul class="facts">
            {headlines(report).map((line) => (
              <li key={line}>
                <LinkedText text={printable(line)} />
              </li>
            ))}
          </ul>
          <div class="stack">
            <GapTable report={report} />
            {correctness && right && wrong && (
              <ReportTable
                table={correctness}
                rows={() => [
                  { sequences: "right", ...right },
                  { sequences: "wrong", ...wrong },
                ]}
              />
            )}
          </div>
        </div>
      </section>
      <OverSteps report={report} />
      <section aria-label="By place and digit">
        <h2>By place and digit</h2>
        <div class="pair">
          <Groups
            title="By place value"
            table={tables.find(({ id }) => id === "places")}
            names={report.per_place.map(({ place }) => placeName(place))}
            groups={report.per_place}
          />
          <Groups
            title="By sampled digit"
            table={tables.find(({ id }) => id === "digits")}
            names={report.per_digit.map(({ digit }) => String(digit))}
            groups={report.per_digit}
          />
        </div>
      </section>
      {report.distributions.length > 0 && (
        <section aria-label="Digit distributions">
          <h2>Digit distributions</h2>
          <LossTable
            title="Number-token loss against the sampled digit"
            name="digit losses"
            distributions={report.distributions}
          />
          <p class="note">
            In brackets and as a bar: between which bounds the digits outside the top k leave the mean. The
            mark is the estimate, in which they have no mass.
          </p>
        </section>
      )}
      {report.truth && <Truth truth={report.truth} tables={tables} />}
      <section class="stack" aria-label="Single digits">
        <h2>Single digits</h2>
        <DigitExamples
          title="Digits that the rollout policy was least sure of"
          name="least sure digits"
          examples={report.least_sure}
        />
        <DigitExamples
          title="Digits on which the policies are furthest apart"
          name="widest gaps of digits"
          examples={report.widest_gaps}
        />
      </section>
      {report.absent.length > 0 && (
        <section aria-label="What is absent">
          <h2>What is absent</h2>
          <ul class="absent">
            {report.absent.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Groups({
  title,
  table,
  names,
  groups,
}: {
  readonly title: string;
  /** Where there is more than one group. */
  readonly table: Table | undefined;
  readonly names: readonly string[];
  readonly groups: readonly DigitFigures[];
}) {
  if (groups.length === 0) return null;
  return (
    <div class="stack">
      <ChartPicture
        name={`digits ${title.toLowerCase()}`}
        svg={() => lossBars(`${title}: proxy NTL, nats`, names, groups)}
        rows={() => flatRows(groups)}
      />
      {table && <ReportTable table={table} rows={() => flatRows(groups)} />}
    </div>
  );
}
