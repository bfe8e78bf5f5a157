import { useId, useMemo, useState } from "preact/hooks";
import { client } from "../api/client.ts";
import { useAnswer } from "../state/answers.ts";
import { activeKeys } from "../state/keys.ts";
import { table } from "../state/loaded.ts";
import { savedFilters } from "../state/saved-filters.ts";
import { stars } from "../state/stars.ts";
import { navigate, route } from "../state/url.ts";
import { Dialog } from "../ui/dialog.tsx";
import { exportsThere } from "../ui/export-menu.tsx";
import { describeCombobox, OptionList, placeAfter } from "../ui/option-list.tsx";
import {
  exportItems,
  filterItems,
  keyItems,
  promptItems,
  starItems,
  wholePromptsItem,
} from "./found-items.ts";
import { type PaletteItem, searchItems } from "./palette-items.ts";

/** Goes to anything by its name: a combobox with the best matches first. */
export function Palette({
  fixed,
  hasSequences,
  hasTexts,
  hasServer,
  onClose,
}: {
  readonly fixed: readonly PaletteItem[];
  /** Whether there are sequences to find, too. */
  readonly hasSequences: boolean;
  /** Whether SQL has their texts. */
  readonly hasTexts: boolean;
  /** Whether there is a server that searches prompts. */
  readonly hasServer: boolean;
  readonly onClose: () => void;
}) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const loaded = hasSequences ? table().value : undefined;
  const sequences = loaded?.state === "ready" ? loaded.value : undefined;
  const all = useThere(fixed, hasSequences);
  const text = query.trim();
  const { loaded: prompts, busy } = useAnswer(
    hasSequences && hasServer && text.length > 1 ? text : undefined,
    (signal) => client.prompts(text, signal),
  );
  const items = useMemo(() => {
    const found = prompts?.state === "ready" ? promptItems(prompts.value) : [];
    const whole = hasTexts && hasServer && text.length > 1 ? [wholePromptsItem(text)] : [];
    return [...searchItems(query, all, sequences), ...found, ...whole];
  }, [query, all, sequences, prompts]);
  const chosen = Math.min(at, items.length - 1);
  const asked = hasSequences
    ? `view, command, step, s30.q48, group, ${hasServer ? "words of a prompt" : "sample"}`
    : "view, checkpoint, command";

  const take = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    onClose();
    if (item.move !== undefined) navigate(item.move);
    // After the dialog has returned the focus.
    setTimeout(() => item.run?.());
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
        {...describeCombobox(id, items.length, chosen)}
        aria-label={asked}
        placeholder={asked}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <OptionList id={id} label="Answers" items={items} chosen={chosen} onTake={take} />
      {items.length === 0 && (
        <p class="muted" role="status">
          {loaded?.state === "loading" || busy ? "loading …" : "nothing found"}
        </p>
      )}
    </Dialog>
  );
}

/** Adds what exists at the moment: keys, exports, saved filters, starred places. */
function useThere(fixed: readonly PaletteItem[], hasSequences: boolean): readonly PaletteItem[] {
  const [keys, exports] = [activeKeys.value, exportsThere.value];
  const saved = hasSequences ? savedFilters() : undefined;
  const starred = hasSequences ? stars().value : undefined;
  return useMemo(
    () => [
      ...fixed,
      ...keyItems(keys, fixed),
      ...filterItems(saved ?? [], route.peek().view),
      ...(starred?.state === "ready" ? starItems(starred.value.stars) : []),
      ...exportItems(exports),
    ],
    [fixed, keys, exports, saved, starred],
  );
}
