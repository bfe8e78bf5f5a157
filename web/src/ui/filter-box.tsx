import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { type Filter, joinFilters, understoodText } from "../../../src/analyses/filter/index.ts";
import { formatCounted } from "../../../src/render/text/display/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import { client } from "../api/client.ts";
import { useAnswer } from "../state/answers.ts";
import { useKeys } from "../state/keys.ts";
import { run } from "../state/loaded.ts";
import { navigate } from "../state/url.ts";
import "./filter-box.css";
import { FilterFields } from "./filter-fields.tsx";
import { FilterInput } from "./filter-input.tsx";
import { SavedFilters } from "./saved-filters.tsx";

/** The filter's input, with what was not understood, how much each term matches, and the available fields. */
export function FilterBox({
  filter,
  what,
  children,
}: {
  readonly filter: Filter;
  /** For the list of keys: `sequences`. */
  readonly what: string;
  /** Further notes on the filter. */
  readonly children?: ComponentChildren;
}) {
  const id = useId();
  const set = (text: string): void => {
    navigate({ params: { filter: text === "" ? undefined : text } }, { replace: true });
  };
  useKeys({ "/": { describe: `filter ${what}`, run: () => document.getElementById(id)?.focus() } });
  // An unfinished filter such as `correct:no |` is continued with the example.
  const withExample = (example: string): string =>
    filter.problems.length === 0 ? joinFilters(filter.text, example) : `${filter.text} ${example}`;
  return (
    <search class="filter-box">
      <label for={id}>Filter</label>
      <FilterInput id={id} filter={filter} onInput={set} />
      <SavedFilters filter={filter.text} onPick={set} />
      <FilterFields onPick={(example) => set(withExample(example))} />
      <div id={`${id}-problems`} role="status" class="filter-problems">
        {filter.problems.map(({ from, to, message, effect, instead }) => (
          <p key={from}>
            <mark>{filter.text.slice(from, to)}</mark> {message}; {effect ?? "this word is not used"}
            {instead !== undefined && (
              <button type="button" onClick={() => set(instead)}>
                use {instead}
              </button>
            )}
          </p>
        ))}
        {children}
      </div>
      <TermCounts filter={filter} />
    </search>
  );
}

/** How much each term matches by itself in the whole run; not in a bundle, which cannot count. */
function TermCounts({ filter }: { readonly filter: Filter }) {
  const loaded = run().value;
  const info = loaded.state === "ready" && loaded.value.kind === "view-run" ? loaded.value : undefined;
  const question = info && !info.bundled && filter.terms.length > 0 ? understoodText(filter) : undefined;
  const { loaded: answer, busy } = useAnswer(question && `${info!.version} ${question}`, (signal) =>
    client.matchTerms(question!, signal),
  );
  if (answer?.state !== "ready") return null;
  return (
    <ul class="filter-terms" aria-label="Each term alone, in the whole run" aria-busy={busy}>
      {answer.value.terms.map(({ text, sequences, tokens }, at) => (
        <li key={at}>
          <code>{printable(text)}</code> {formatCounted(tokens, "token")} in{" "}
          {formatCounted(sequences, "sequence")}
        </li>
      ))}
    </ul>
  );
}
