import { navigate } from "../../state/url.ts";
import { Popover } from "../../ui/popover.tsx";
import { readWidth, setWidth } from "../../ui/virtual-table/widths.ts";
import { COLUMNS, HANDLE, isBriefColumn, type SequencesColumn } from "./columns.ts";
import { toggleColumn } from "./selection.ts";
import { LIST } from "./sequence-rows.tsx";

/** Which columns are shown, which of them stay in sight, and how wide they are. */
export function ColumnChooser({
  shown,
  hasBriefs,
}: {
  readonly shown: readonly SequencesColumn[];
  readonly hasBriefs: boolean;
}) {
  const keys = shown.map(({ key }) => key).filter((key) => key !== HANDLE);
  const pinned = shown.filter((column) => column.pinned).map(({ key }) => key);
  const go = (params: Readonly<Record<string, string | undefined>>): void =>
    navigate({ params }, { replace: true });
  const choose = (key: string): void => go({ columns: toggleColumn(keys, key).join(",") });
  const pin = (key: string): void => {
    const next = pinned.includes(key) ? pinned.filter((other) => other !== key) : [...pinned, key];
    go({ pinned: next.length === 0 ? undefined : next.join(",") });
  };
  return (
    <Popover class="column-chooser drop" summary="Columns">
      <fieldset>
        <legend>Columns</legend>
        {COLUMNS.filter(({ key }) => key !== HANDLE).map((column) => {
          const { key, title, help } = column;
          const isShown = keys.includes(key);
          const isUnknown = isBriefColumn(key) && key !== "spark" && !hasBriefs;
          return (
            <div key={key}>
              <label>
                <input type="checkbox" checked={isShown} onChange={() => choose(key)} /> {title}{" "}
                <small>{isUnknown ? "texts are unknown: logratio view --tokenizer DIR" : help}</small>
              </label>
              {isShown && (
                <>
                  <label class="pin">
                    <input
                      type="checkbox"
                      aria-label={`Pin ${title}`}
                      checked={pinned.includes(key)}
                      onChange={() => pin(key)}
                    />{" "}
                    pin
                  </label>
                  <input
                    type="range"
                    aria-label={`Width of ${title}`}
                    title={`width: ${readWidth(LIST, column)} pixels`}
                    min={40}
                    max={600}
                    step={10}
                    value={readWidth(LIST, column)}
                    onInput={({ currentTarget }) => setWidth(LIST, key, Number(currentTarget.value))}
                  />
                </>
              )}
            </div>
          );
        })}
        <button
          type="button"
          onClick={() => {
            for (const { key } of COLUMNS) setWidth(LIST, key, undefined);
            go({ columns: undefined, pinned: undefined });
          }}
        >
          default columns
        </button>
      </fieldset>
    </Popover>
  );
}
