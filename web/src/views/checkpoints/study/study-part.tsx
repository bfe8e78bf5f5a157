import type { KlReport } from "../../../../../src/protocol/kl.ts";
import {
  categoryPictures,
  correctnessPictures,
  type KlPicture,
  overviewPictures,
} from "../../../../../src/report/kl/html-pictures.ts";
import { progressionLines } from "../../../../../src/report/kl/progression-tables.ts";
import { keyFigures, methodLines, SUPPORT } from "../../../../../src/report/kl/summary.ts";
import { printable } from "../../../../../src/report/printable.ts";
import { ChartPicture } from "../../../ui/chart-picture.tsx";
import type { Row } from "../../../ui/export.ts";
import { PlaceLink, Sentence } from "./place-link.tsx";
import { categoryRows, checkpointRows, rowsOf } from "./report-rows.ts";
import { Tables } from "./table-list.tsx";
import {
  checkpointTables,
  kindTables,
  otherTables,
  spikeTables,
  testTables,
  trainingTables,
} from "./tables.ts";

/** The report of `logratio kl`: what it answers, its pictures and its tables. */
export function StudyPart({ report }: { readonly report: KlReport }) {
  return (
    <>
      <Answers report={report} />
      <section class="over-checkpoints">
        <h2>Over checkpoints</h2>
        <Pictures pictures={overviewPictures(report)} rows={() => checkpointRows(report)} />
        <Definitions lines={keyFigures(report)} />
        <Tables of={checkpointTables(report)} />
      </section>
      <section>
        <h2>Progression and turning points</h2>
        <Definitions lines={progressionLines(report)} />
        <Tables of={trainingTables(report)} />
        {report.progression === null && (
          <p class="note">Progression needs at least two checkpoints with a training step.</p>
        )}
      </section>
      <section>
        <h2>Kinds of token</h2>
        <Pictures pictures={categoryPictures(report)} rows={() => categoryRows(report)} />
        <Tables of={kindTables(report)} />
      </section>
      <section>
        <h2>Spikes</h2>
        <Tables of={spikeTables(report)} />
      </section>
      <section>
        <h2>Right and wrong texts, first errors, tests</h2>
        <Pictures
          pictures={correctnessPictures(report)}
          rows={() => rowsOf([...report.correctness, ...report.first_errors])}
        />
        <Tables of={testTables(report)} />
      </section>
      <Cases report={report} />
      <section class="more">
        <h2>Everything else</h2>
        {otherTables(report)
          .filter(({ table }) => table.rows > 0)
          .map((one) => (
            <details key={one.table.id}>
              <summary>{one.table.title}</summary>
              <Tables of={[one]} />
            </details>
          ))}
        <details>
          <summary>How these figures are made</summary>
          <Definitions lines={methodLines(report)} />
        </details>
        <Lines title="What these figures do not say" lines={report.caveats} />
        <Lines title="Not here" lines={report.absent} />
      </section>
    </>
  );
}

function Answers({ report }: { readonly report: KlReport }) {
  if (report.answers.length === 0) return null;
  return (
    <section class="study-answers">
      <h2>What the study says</h2>
      <ul>
        {report.answers.map(({ question, answer, support }) => {
          const { word, level } = SUPPORT[support];
          return (
            <li key={question}>
              <h3>
                {printable(question)} <span class={`level ${level}`}>{word}</span>
              </h3>
              <p>
                <Sentence text={answer} />
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Pictures({
  pictures,
  rows,
}: {
  readonly pictures: readonly KlPicture[];
  readonly rows: () => readonly Row[];
}) {
  if (pictures.length === 0) return null;
  return (
    <div class="pictures">
      {pictures.map(({ id, svg }) => (
        <ChartPicture key={id} name={id} svg={() => svg} rows={rows} />
      ))}
    </div>
  );
}

function Definitions({ lines }: { readonly lines: readonly (readonly [label: string, text: string])[] }) {
  if (lines.length === 0) return null;
  return (
    <dl class="definitions">
      {lines.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Sentence text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The texts that the report looks at closely, and why. */
function Cases({ report: { cases } }: { readonly report: KlReport }) {
  if (cases.length === 0) return null;
  return (
    <section>
      <h2>Texts to look at</h2>
      <ul class="cases">
        {cases.map(({ handle, reason, text }) => (
          <li key={handle}>
            <PlaceLink handle={handle}>{handle}</PlaceLink> {reason}{" "}
            <bdi class="muted">{printable(text)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <Sentence text={line} />
          </li>
        ))}
      </ul>
    </details>
  );
}
