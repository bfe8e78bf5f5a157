import { printable } from "../../../../src/render/text/index.ts";
import type { PageList, ReportPage } from "../../../../src/results/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Explained } from "../../ui/explained.tsx";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { HandleLink, LinkedText, MoveLink } from "../../ui/place-link.tsx";
import { Context } from "../../ui/report-table.tsx";
import { WholeRunTag } from "../../ui/steps-chip.tsx";

/** The verdict, why, and what to do next: all that a reader with ten seconds needs. */
export function VerdictPanel({ page }: { readonly page: ReportPage }) {
  const { level, word, headline, failed, figures, facts, note, leftOut, next } = page.verdict;
  return (
    <section class="verdict" aria-label="Verdict">
      <h2 class="visually-hidden">Verdict</h2>
      <p class="headline">
        <span class={`level ${level}`}>{word}</span> {headline} <WholeRunTag />
      </p>
      {failed.items.length > 0 && <Facts of={failed} class="warn" />}
      <FirstLooks first={page.first} />
      <div class="two">
        <KeyFigures of={figures} />
        <div>
          {facts.items.length > 0 && (
            <>
              <h3>
                {facts.title} <WholeRunTag />
              </h3>
              <Facts of={facts} />
            </>
          )}
          {note !== null && <p class="note">{note}</p>}
          {leftOut.items.length > 0 && (
            <>
              <h3>{leftOut.title}</h3>
              <Facts of={leftOut} class="warn" />
            </>
          )}
          {next !== null && (
            <>
              <h3>{next.title}</h3>
              <div class="next">
                <code>{printable(next.command)}</code>
                <CopyButton label="Copy" text={() => next.command} />
              </div>
              <p class="note">{next.why}</p>
            </>
          )}
        </div>
      </div>
    </section>
  );
}

function Facts({
  of: { title, items },
  class: name = "",
}: {
  readonly of: PageList;
  readonly class?: string;
}) {
  return (
    <ul class={`facts ${name}`} aria-label={title}>
      {items.map((text) => (
        <li key={text}>
          <LinkedText text={text} />
        </li>
      ))}
    </ul>
  );
}

/** The worst turn, token and sequence: where to look first. */
function FirstLooks({ first }: Pick<ReportPage, "first">) {
  if (first.length === 0) return null;
  return (
    <>
      <WholeRunTag />
      <ul class="first-looks" aria-label="Where to look first">
        {first.map(({ label, place, move, text, context }) => (
          <li key={label}>
            <b>{label}</b> {move ? <MoveLink move={move} text={place} /> : <HandleLink handle={place} />}
            <br />
            <Explained text={text} />
            {context && <Context of={context} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function KeyFigures({ of: { title, rows, raw } }: { readonly of: ReportPage["verdict"]["figures"] }) {
  return (
    <div class="report-table key-figures">
      <div class="table-head">
        <h3>{title}</h3>
        <WholeRunTag />
        <ExportMenu name="key-figures" rows={() => raw} />
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
            {rows.map(({ label, meaning, value, interval, no_interval, baseline }) => (
              <tr key={label}>
                <th scope="row" class="left">
                  <Explained text={label} meaning={meaning} />
                </th>
                <td class="right">
                  <b>{value}</b>
                </td>
                <td class={interval === null ? "left muted wrap" : "right muted"}>
                  {interval ?? no_interval}
                </td>
                <td class="left wrap" title={baseline?.source}>
                  {baseline === null ? (
                    <span class="muted">–</span>
                  ) : (
                    <>
                      {baseline.level !== null && (
                        <span class={`level ${baseline.level}`}>{baseline.level}</span>
                      )}{" "}
                      {baseline.text}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
