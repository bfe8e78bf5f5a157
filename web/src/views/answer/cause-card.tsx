import type { AnswerFix, AnswerPage } from "../../../../src/results/answer-page.ts";
import { makeHref } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { BarList } from "./bar-list.tsx";

/** The likeliest causes, what would decide between them, and the fix. */
export function CauseCard({ page: { causes, decide, fix } }: { readonly page: AnswerPage }) {
  return (
    <section class="card cause" aria-label="Likely cause">
      <h2>Likely cause</h2>
      <BarList
        rows={causes.map(({ title, chance, bar, is_alike }) => ({
          key: title + is_alike,
          label: title,
          value: chance,
          bar,
          class: is_alike ? "alike" : "",
        }))}
      />
      {decide !== null && (
        <p title={decide.lines}>
          <b>To decide:</b> {decide.text}. {decide.outcomes}
        </p>
      )}
      {fix !== null && (fix.is_code || decide === null) && <Fix of={fix} />}
      <p>
        {decide !== null && <CopyButton label="Copy" text={() => decide.lines} />}{" "}
        <a href={makeHref({ view: "doctor", token: undefined })}>Evidence</a>
      </p>
    </section>
  );
}

/** A line to paste, with a copy button; advice has none. */
export function Fix({ of: { place, line, note, is_code } }: { readonly of: AnswerFix }) {
  if (!is_code)
    return (
      <p title={note}>
        <b>Fix:</b> {line}.
      </p>
    );
  return (
    <div class="paste" title={`${place}: ${note}`}>
      <pre>{line}</pre>
      <CopyButton label="Copy" text={() => line} />
    </div>
  );
}
