import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { FIELDS, type Field, type Filter, joinFilters } from "../../../src/analyses/filter/index.ts";
import { useKeys } from "../state/keys.ts";
import { navigate } from "../state/url.ts";
import "./filter-box.css";
import { Popover } from "./popover.tsx";

/** The filter's input, with what was not understood of it, and the table of fields. */
export function FilterBox({
  filter,
  what,
  children,
}: {
  readonly filter: Filter;
  /** For the list of keys: `sequences`. */
  readonly what: string;
  /** What else is to be said of the filter. */
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
      <input
        id={id}
        type="search"
        value={filter.text}
        spellcheck={false}
        autocomplete="off"
        placeholder="abs>0.5 turn:3 is:number correct:no"
        aria-describedby={`${id}-problems`}
        aria-invalid={filter.problems.length > 0}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <Fields onPick={(example) => set(withExample(example))} />
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
    </search>
  );
}

/** The fields of a filter, each with an example to click. */
function Fields({ onPick }: { readonly onPick: (example: string) => void }) {
  return (
    <Popover class="filter-help drop" summary="Fields">
      <div>
        <p>
          Terms with blanks between must all hold; those on tokens at the same token. <code>|</code> means or,
          brackets group: <code>correct:no (abs&gt;0.5 | is:number)</code>. <code>-</code> negates a term or a
          bracket. Numbers: <code>:</code> <code>=</code> <code>!=</code> <code>&gt;</code> <code>&gt;=</code>{" "}
          <code>&lt;</code> <code>&lt;=</code>, ranges <code>10..30</code>, lists <code>1,2,5</code>. Texts:{" "}
          <code>:</code> for a part, <code>=</code> for all of it, quotes around blanks. <code>none</code>{" "}
          finds what is missing. A word alone is looked for in the texts of the sequence; <code>s10.q41</code>{" "}
          is a handle.
        </p>
        <table>
          {(["token", "sequence"] as const).map((scope) => (
            <tbody key={scope}>
              <tr>
                <th scope="rowgroup" colSpan={3}>
                  {scope === "token" ? "Tokens" : "Sequences"}
                </th>
              </tr>
              {FIELDS.filter((field) => field.scope === scope).map((field) => (
                <FieldRow key={field.name} field={field} onPick={() => onPick(field.example)} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </Popover>
  );
}

function FieldRow({ field, onPick }: { readonly field: Field; readonly onPick: () => void }) {
  const { name, aliases, meaning, example } = field;
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        {aliases.length > 0 && <small> {aliases.join(", ")}</small>}
      </th>
      <td>{meaning}</td>
      <td>
        <button type="button" class="example" onClick={onPick}>
          {example}
        </button>
      </td>
    </tr>
  );
}
