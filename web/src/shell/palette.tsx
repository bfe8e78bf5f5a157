import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import { table } from "../state/loaded.ts";
import { navigate } from "../state/url.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type PaletteItem, searchItems } from "./palette-items.ts";

/** Goes to anything by its name: a combobox with the best matches first. */
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
  const id = useId();
  const loaded = hasSequences ? table().value : undefined;
  const sequences = loaded?.state === "ready" ? loaded.value : undefined;
  const items = useMemo(() => searchItems(query, fixed, sequences), [query, fixed, sequences]);
  const chosen = Math.min(at, items.length - 1);
  const asked = hasSequences
    ? "View, step, sequence, sample, group or command"
    : "View, checkpoint or command";

  const take = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    if (item.move !== undefined) navigate(item.move);
    item.run?.();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = placeAfter(event.key, chosen, Math.max(0, items.length - 1));
    if (to !== undefined) setAt(to);
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
      <Answers id={id} items={items} chosen={chosen} onTake={take} />
      {items.length === 0 && (
        <p class="muted" role="status">
          {loaded?.state === "loading" ? "loading the sequences …" : "nothing has this name"}
        </p>
      )}
    </Dialog>
  );
}

/** The list of a combobox; the focus stays in its text field. */
function Answers({
  id,
  items,
  chosen,
  onTake,
}: {
  readonly id: string;
  readonly items: readonly PaletteItem[];
  readonly chosen: number;
  readonly onTake: (item: PaletteItem) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div id={id} class="answers" role="listbox" tabIndex={-1} aria-label="Answers" ref={list}>
      {items.map((item, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field, as comboboxes have it
        <div
          key={item.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onClick={() => onTake(item)}
        >
          <span class="kind">{item.kind}</span>
          <span class="label">{printable(item.label)}</span>
          <span class="hint">{printable(item.hint)}</span>
        </div>
      ))}
    </div>
  );
}

const PAGE = 8;

/** Arrow keys wrap around, page keys stop at the ends. */
function placeAfter(key: string, at: number, last: number): number | undefined {
  if (key === "ArrowDown") return at >= last ? 0 : at + 1;
  if (key === "ArrowUp") return at <= 0 ? last : at - 1;
  if (key === "PageDown") return Math.min(last, at + PAGE);
  return key === "PageUp" ? Math.max(0, at - PAGE) : undefined;
}
