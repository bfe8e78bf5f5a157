import { navigate } from "../../state/url.ts";
import { COLUMNS, HANDLE, type SequencesColumn } from "./columns.ts";

/** Which columns are shown, as check boxes. */
export function ColumnChooser({ shown }: { readonly shown: readonly SequencesColumn[] }) {
  const keys = shown.map(({ key }) => key).filter((key) => key !== HANDLE);
  const toggle = (key: string): void => {
    const next = keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key];
    navigate({ params: { columns: next.join(",") } }, { replace: true });
  };
  return (
    <details
      class="column-chooser drop"
      onKeyDown={(event) => event.key === "Escape" && event.currentTarget.removeAttribute("open")}
    >
      <summary>Columns</summary>
      <fieldset>
        <legend>Columns</legend>
        {COLUMNS.filter(({ key }) => key !== HANDLE).map(({ key, title, help }) => (
          <label key={key}>
            <input type="checkbox" checked={keys.includes(key)} onChange={() => toggle(key)} /> {title}{" "}
            <small>{help}</small>
          </label>
        ))}
        <button type="button" onClick={() => navigate({ params: { columns: undefined } }, { replace: true })}>
          the usual ones
        </button>
      </fieldset>
    </details>
  );
}
