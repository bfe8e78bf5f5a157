import { FIELDS, type Field } from "../../../src/analyses/filter/index.ts";
import { Popover } from "./popover.tsx";

/** The fields of a filter, each with an example to click. */
export function FilterFields({ onPick }: { readonly onPick: (example: string) => void }) {
  return (
    <Popover class="filter-help drop" summary="Fields">
      <div>
        <p>
          Terms separated by spaces must all hold, those on tokens at the same token. <code>|</code> means or,
          parentheses group: <code>correct:no (abs&gt;0.5 | is:number)</code>. <code>-</code> negates a term
          or a group. Numbers: <code>:</code> <code>=</code> <code>!=</code> <code>&gt;</code>{" "}
          <code>&gt;=</code> <code>&lt;</code> <code>&lt;=</code>, ranges <code>10..30</code>, lists{" "}
          <code>1,2,5</code>. Texts: <code>:</code> for a part, <code>=</code> for all of it, quotes around
          spaces. <code>none</code> finds what is missing. A word alone is looked for in the texts of the
          sequence; <code>s10.q41</code> is a handle.
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
