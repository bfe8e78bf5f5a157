import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import { table } from "../state/loaded.ts";
import { navigate } from "../state/url.ts";
import { Dialog } from "./dialog.tsx";
import { type PaletteItem, searchItems } from "./palette-items.ts";

/** Everything by its name: a combobox over a list of what answers the text, best first. */
export function Palette({
  fixed,
  hasSequences,
  onClose,
}: {
  readonly fixed: readonly PaletteItem[];
  /** Whether there are sequences to find, too. */
  readonly hasSequences: boolean;
  readonly onClose: () => void;
}) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const loaded = hasSequences ? table().value : undefined;
  const sequences = loaded?.state === "ready" ? loaded.value : undefined;
  const items = useMemo(() => searchItems(query, fixed, sequences), [query, fixed, sequences]);
  const chosen = Math.min(at, items.length - 1);
  const asked = hasSequences
    ? "View, step, sequence, sample, group or command"
    : "View, checkpoint or command";

  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);

  const take = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    if (item.move !== undefined) navigate(item.move);
    item.run?.();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = Math.max(0, items.length - 1);
    if (event.key === "ArrowDown") setAt(chosen >= last ? 0 : chosen + 1);
    else if (event.key === "ArrowUp") setAt(chosen <= 0 ? last : chosen - 1);
    else if (event.key === "PageDown") setAt(Math.min(last, chosen + 8));
    else if (event.key === "PageUp") setAt(Math.max(0, chosen - 8));
    else if (event.key === "Enter") take(items[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog label="Go to" onClose={onClose} class="dialog-palette">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={items.length === 0 ? undefined : `${id}-${chosen}`}
        aria-label={asked}
        placeholder={
          hasSequences ? "view, step, s30.q48, sample, group, command" : "view, checkpoint, command"
        }
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} class="answers" role="listbox" tabIndex={-1} aria-label="Answers" ref={list}>
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field, as comboboxes have it
          <div
            key={item.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => take(item)}
          >
            <span class="kind">{item.kind}</span>
            <span class="label">{printable(item.label)}</span>
            <span class="hint">{printable(item.hint)}</span>
          </div>
        ))}
      </div>
      {items.length === 0 && (
        <p class="muted" role="status">
          {loaded?.state === "loading" ? "loading the sequences …" : "nothing has this name"}
        </p>
      )}
    </Dialog>
  );
}
