import { useState } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import { run } from "../state/loaded.ts";
import { savedFilters, saveFilter } from "../state/saved-filters.ts";
import { Popover } from "./popover.tsx";

/** The saved filters, with buttons to apply, remove and add one. Those of a bundle are fixed. */
export function SavedFilters({
  filter,
  onPick,
}: {
  readonly filter: string;
  readonly onPick: (filter: string) => void;
}) {
  const loaded = run().value;
  const isFixed =
    loaded.state === "ready" && loaded.value.kind === "view-run" && loaded.value.bundled === true;
  const saved = savedFilters();
  const [failure, setFailure] = useState("");
  const change = (name: string, to: string | null): void => {
    saveFilter(name, to).then(
      () => setFailure(""),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <Popover class="drop saved-filters" summary="Saved">
      <div>
        {saved.length === 0 && <p>No filter is saved.</p>}
        <ul>
          {saved.map(({ name, filter: own }) => (
            <li key={name}>
              <button type="button" onClick={() => onPick(own)}>
                {printable(name)}
              </button>{" "}
              <code>{printable(own)}</code>
              {!isFixed && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${name}`}
                  onClick={() => change(name, null)}
                >
                  ✕
                </button>
              )}
            </li>
          ))}
        </ul>
        {!isFixed && filter.trim() !== "" && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const field = event.currentTarget.elements.namedItem("name") as HTMLInputElement;
              change(field.value.trim() === "" ? filter : field.value, filter);
              field.value = "";
            }}
          >
            <input name="name" maxLength={200} aria-label="Name" placeholder={filter} autocomplete="off" />{" "}
            <button type="submit">Save this filter</button>
          </form>
        )}
        {failure !== "" && <p role="alert">{failure}</p>}
      </div>
    </Popover>
  );
}
