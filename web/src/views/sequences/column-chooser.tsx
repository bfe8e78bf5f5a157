import { navigate } from "../../state/url.ts";
import { Popover } from "../../ui/popover.tsx";
import { COLUMNS, HANDLE, type SequencesColumn } from "./columns.ts";

/** Which columns are shown, as check boxes. */
export function ColumnChooser({ shown }: { readonly shown: readonly SequencesColumn[] }) {
  const keys = shown.map(({ key }) => key).filter((key) => key !== HANDLE);
  const toggle = (key: string): void => {
    const next = keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key];
    navigate({ params: { columns: next.join(",") } }, { replace: true });
  };
  return (
    <Popover class="column-chooser drop" summary="Columns">
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
    </Popover>
  );
}
