import { useState } from "preact/hooks";
import { plural, printable } from "../../../../src/render/text/index.ts";
import type { RaisedAlert } from "../../../../src/results/alerts.ts";
import { stepHref } from "../../ui/place-link.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const MOST_SHOWN = 5;

/** Raised alerts, the last first. */
export function AlertsPanel({ alerts }: { readonly alerts: readonly RaisedAlert[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = alerts.toReversed().slice(0, isWhole ? undefined : MOST_SHOWN);
  return (
    <section class="alerts" aria-label="Alerts">
      <h2>Alerts</h2>
      <div class="report-table">
        <ScrollBox label="Alerts">
          <table>
            <thead>
              <tr>
                {["step", "rule", "what", "raised", "now"].map((title) => (
                  <th key={title} scope="col" class="left">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(({ id, rule, since, text, raised_at, over }) => (
                <tr key={id}>
                  <td class="left">{since === null ? "–" : <a href={stepHref(since)}>step {since}</a>}</td>
                  <th scope="row" class="left">
                    {printable(rule)}
                  </th>
                  <td class="left wrap">{printable(sayFigure(rule, text))}</td>
                  <td class="left muted">{TIME.format(new Date(raised_at))}</td>
                  <td class="left">{over ? <span class="muted">over</span> : "goes on"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      </div>
      {alerts.length > shown.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {plural(alerts.length - shown.length, "earlier alert")}
        </button>
      )}
    </section>
  );
}

/** The text of an alert begins with its rule, which has a column of its own. */
function sayFigure(rule: string, text: string): string {
  return text.startsWith(`${rule}: `) ? text.slice(rule.length + 2) : text;
}
