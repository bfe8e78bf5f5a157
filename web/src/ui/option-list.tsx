import { useEffect, useRef } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import "./option-list.css";

export interface Option {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  /** What it is, before its name. */
  readonly kind?: string;
}

/** The list of a combobox; the focus stays in its text field, which names the list and the chosen option by `id`. */
export function OptionList<Item extends Option>({
  id,
  label,
  items,
  chosen,
  onTake,
}: {
  readonly id: string;
  readonly label: string;
  readonly items: readonly Item[];
  /** Index of the chosen option; -1: none. */
  readonly chosen: number;
  readonly onTake: (item: Item) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div
      id={id}
      class="answers"
      role="listbox"
      tabIndex={-1}
      aria-label={label}
      ref={list}
      onPointerDown={(event) => event.preventDefault()}
    >
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
          {item.kind !== undefined && <span class="kind">{item.kind}</span>}
          <span class="label">{printable(item.label)}</span>
          <span class="hint">{printable(item.hint)}</span>
        </div>
      ))}
    </div>
  );
}

/** The attributes of a text field with such a list. */
export function describeCombobox(id: string, count: number, chosen: number): object {
  return {
    role: "combobox",
    "aria-expanded": count > 0,
    "aria-controls": id,
    "aria-autocomplete": "list",
    "aria-activedescendant": chosen < 0 || count === 0 ? undefined : `${id}-${chosen}`,
    autocomplete: "off",
    spellcheck: false,
  };
}

const PAGE = 8;

/** The place that a key leads to: arrow keys wrap around, page keys stop at the ends. Undefined for other keys. */
export function placeAfter(key: string, at: number, last: number): number | undefined {
  if (key === "ArrowDown") return at >= last ? 0 : at + 1;
  if (key === "ArrowUp") return at <= 0 ? last : at - 1;
  if (key === "PageDown") return Math.min(last, at + PAGE);
  return key === "PageUp" ? Math.max(0, at - PAGE) : undefined;
}
