import { useId } from "preact/hooks";
import { FIELDS, type Filter } from "../../filter/index.ts";
import { useKeys } from "../../state/keys.ts";
import { navigate, route } from "../../state/url.ts";

/** Where one writes what to see, with what was not understood of it, and the table of fields. */
export function FilterBox({ filter }: { readonly filter: Filter }) {
  const id = useId();
  const { steps } = route.value.params;
  const set = (text: string): void => {
    navigate({ params: { filter: text === "" ? undefined : text } }, { replace: true });
  };
  useKeys({ "/": { describe: "filter sequences", run: () => document.getElementById(id)?.focus() } });
  return (
    <search class="filter-box">
      <label for={id}>Filter</label>
      <input
        id={id}
        type="search"
        value={filter.text}
        spellcheck={false}
        autocomplete="off"
        placeholder="abs>0.5 turns>=3 correct:no"
        aria-describedby={`${id}-problems`}
        aria-invalid={filter.problems.length > 0}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {steps !== undefined && (
        <span class="chip">
          steps {steps.replace("..", " to ")}
          <button
            type="button"
            aria-label="Show all steps"
            onClick={() => navigate({ params: { steps: undefined } })}
          >
            ×
          </button>
        </span>
      )}
      <details
        class="filter-help"
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.removeAttribute("open")}
      >
        <summary>Fields</summary>
        <div>
          <p>
            Terms with blanks between must all hold; <code>-</code> before one turns it round. Numbers:{" "}
            <code>:</code> <code>=</code> <code>!=</code> <code>&gt;</code> <code>&gt;=</code>{" "}
            <code>&lt;</code> <code>&lt;=</code>, ranges <code>10..30</code>, lists <code>1,2,5</code>. Texts:{" "}
            <code>:</code> for a part, <code>=</code> for all of it, quotes around blanks. <code>none</code>{" "}
            is what is missing. A word alone is looked for in all texts; <code>s10.q41</code> is a handle.
          </p>
          <table>
            <thead>
              <tr>
                <th scope="col">field</th>
                <th scope="col">is</th>
                <th scope="col">for example</th>
              </tr>
            </thead>
            <tbody>
              {FIELDS.map(({ name, aliases, meaning, example }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    {aliases.length > 0 && <small> {aliases.join(", ")}</small>}
                  </th>
                  <td>{meaning}</td>
                  <td>
                    <button
                      type="button"
                      class="example"
                      onClick={() => set(`${filter.text} ${example}`.trim())}
                    >
                      {example}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <div id={`${id}-problems`} role="status" class="filter-problems">
        {filter.problems.map(({ from, to, message, instead }) => (
          <p key={from}>
            <mark>{filter.text.slice(from, to)}</mark> {message}; this word is not used
            {instead !== undefined && (
              <button type="button" onClick={() => set(instead)}>
                use {instead}
              </button>
            )}
          </p>
        ))}
      </div>
    </search>
  );
}
