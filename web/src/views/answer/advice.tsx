import { printable } from "../../../../src/render/text/index.ts";
import type { AnswerPage } from "../../../../src/results/answer-page.ts";
import { alerts } from "../../state/loaded.ts";
import { makeHref } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

/** What could not be tested, and the column that would allow it. */
export function Untested({ page: { untested } }: { readonly page: AnswerPage }) {
  if (untested.length === 0) return null;
  return (
    <section class="card" aria-label="Not tested">
      <h2>Not tested</h2>
      <ul>
        {untested.map(({ test, column, how }) => (
          <li key={test} title={how}>
            {test} <small>needs {column}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why else the run may learn little: the worst reason in a line, with its figures if the mismatch is sound. */
export function Beside({ page: { beside, is_sound } }: { readonly page: AnswerPage }) {
  const [first, ...others] = beside;
  if (first === undefined) return null;
  return (
    <p class="beside" title={`${first.text}: ${first.do_this}`}>
      <b>Also:</b>{" "}
      <a href={makeHref({ view: "health", token: undefined })}>
        {is_sound ? first.text : first.title}
        {others.length > 0 && `, and ${others.length} more`}
      </a>
    </p>
  );
}

/** The last alert that was raised; all are under Steps. */
export function LastAlert() {
  const loaded = alerts().value;
  const last = loaded.state === "ready" ? loaded.value.alerts.at(-1) : undefined;
  if (last === undefined) return null;
  return (
    <p class="beside">
      <b>{last.over ? "Alert, over:" : "Alert:"}</b> {printable(last.text)}.{" "}
      <a href={makeHref({ view: "steps", token: undefined })}>All alerts</a>
    </p>
  );
}

export function Command({ of: { label, command } }: { readonly of: NonNullable<AnswerPage["command"]> }) {
  return (
    <section class="card command" aria-label={label}>
      <h2>{label}</h2>
      <div class="paste">
        <pre>{command}</pre>
        <CopyButton label="Copy" text={() => command} />
      </div>
    </section>
  );
}
