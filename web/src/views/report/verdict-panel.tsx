import {
  failedTests,
  keyFigures,
  leftOutLines,
  noInterval,
  SECTION_TITLES,
  standoutTexts,
  verdictWord,
  withoutGradient,
} from "../../../../src/render/report/index.ts";
import { displayed } from "../../../../src/render/text/display/index.ts";
import { printable } from "../../../../src/render/text/index.ts";
import type { MismatchReport } from "../../../../src/results/index.ts";
import { reportTables } from "../../state/loaded.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Explained } from "../../ui/explained.tsx";
import { flatRows } from "../../ui/export.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { HandleLink, LinkedText, MoveLink } from "../../ui/place-link.tsx";
import { Context } from "../../ui/report-table.tsx";

const MOST_FACTS = 5;

/** The verdict, why, and what to do next: all that a reader with ten seconds needs. */
export function VerdictPanel({ report }: { readonly report: MismatchReport }) {
  const { level, headline } = report.verdict;
  const facts = standoutTexts(report, MOST_FACTS);
  const unknown = withoutGradient(report);
  const leftOut = leftOutLines(report);
  const failed = failedTests(report);
  return (
    <section class="verdict" aria-label="Verdict">
      <h2 class="visually-hidden">Verdict</h2>
      <p class="headline">
        <span class={`level ${level}`}>{verdictWord(report.verdict)}</span> {displayed(printable(headline))}
      </p>
      {failed.length > 0 && (
        <ul class="facts warn" aria-label={SECTION_TITLES.failedTests}>
          {failed.map((text) => (
            <li key={text}>{displayed(printable(text))}</li>
          ))}
        </ul>
      )}
      <FirstLooks />
      <div class="two">
        <KeyFigures report={report} />
        <div>
          {facts.length > 0 && (
            <>
              <h3>{SECTION_TITLES.standouts}</h3>
              <ul class="facts">
                {facts.map((text) => (
                  <li key={text}>
                    <LinkedText text={displayed(printable(text))} />
                  </li>
                ))}
              </ul>
            </>
          )}
          {unknown !== undefined && <p class="note">{unknown}.</p>}
          {leftOut.length > 0 && (
            <>
              <h3>{SECTION_TITLES.leftOut}</h3>
              <ul class="facts warn">
                {leftOut.map((text) => (
                  <li key={text}>{printable(text)}</li>
                ))}
              </ul>
            </>
          )}
          {report.next.command !== "" && (
            <>
              <h3>{SECTION_TITLES.next}</h3>
              <div class="next">
                <code>{printable(report.next.command)}</code>
                <CopyButton label="Copy" text={() => report.next.command} />
              </div>
              <p class="note">{printable(report.next.why)}</p>
            </>
          )}
        </div>
      </div>
    </section>
  );
}

/** The worst turn, token and sequence: where to look first. */
function FirstLooks() {
  const loaded = reportTables().value;
  if (loaded.state !== "ready" || loaded.value.first.length === 0) return null;
  return (
    <ul class="first-looks" aria-label="Where to look first">
      {loaded.value.first.map(({ label, place, move, text, context }) => (
        <li key={label}>
          <b>{label}</b> {move ? <MoveLink move={move} text={place} /> : <HandleLink handle={place} />}
          <br />
          <Explained text={text} />
          {context && <Context of={context} />}
        </li>
      ))}
    </ul>
  );
}

function KeyFigures({ report }: { readonly report: MismatchReport }) {
  const figures = keyFigures(report);
  const rows = () => [
    ...flatRows(
      figures.map(({ key, meaning, reading }) => ({
        figure: key,
        value: report.metrics[key as keyof typeof report.metrics] ?? reading?.value ?? null,
        low: report.intervals[key]?.low ?? null,
        high: report.intervals[key]?.high ?? null,
        no_interval: report.intervals[key]?.reason ?? null,
        meaning,
        level: reading?.level ?? null,
        baseline: reading?.band ?? null,
        source: reading?.source ?? null,
      })),
    ),
  ];
  return (
    <div class="report-table key-figures">
      <div class="table-head">
        <h3>{SECTION_TITLES.keyFigures}</h3>
        <ExportMenu name="key-figures" rows={rows} />
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col" class="left">
                figure
              </th>
              <th scope="col" class="right">
                value
              </th>
              <th scope="col" class="right">
                <Explained
                  text="95 % interval"
                  meaning="over the prompts that the same steps might have drawn"
                />
              </th>
              <th scope="col" class="left">
                published baseline
              </th>
            </tr>
          </thead>
          <tbody>
            {figures.map((figure) => {
              const { key, label, meaning, value, interval, reading } = figure;
              return (
                <tr key={key}>
                  <th scope="row" class="left">
                    <Explained text={label} meaning={meaning} />
                  </th>
                  <td class="right">
                    <b>{displayed(value)}</b>
                  </td>
                  <td class={interval === undefined ? "left muted wrap" : "right muted"}>
                    {displayed(
                      interval === undefined ? noInterval(figure) : `${interval.low} – ${interval.high}`,
                    )}
                  </td>
                  <td class="left wrap" title={reading?.source}>
                    {reading === undefined ? (
                      <span class="muted">–</span>
                    ) : (
                      <>
                        {reading.caution === undefined && (
                          <span class={`level ${reading.level}`}>{reading.level}</span>
                        )}{" "}
                        {displayed(printable(reading.caution ?? reading.band))}
                      </>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}
