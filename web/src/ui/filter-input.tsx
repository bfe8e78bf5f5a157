import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type Completion,
  completeFilter,
  type Filter,
  fieldValues,
} from "../../../src/analyses/filter/index.ts";
import { run, table } from "../state/loaded.ts";
import { savedFilters } from "../state/saved-filters.ts";
import { describeCombobox, type Option, OptionList, placeAfter } from "./option-list.tsx";

type Choice = Option & { readonly completion: Completion };

/** The text field, and a list of completions at the caret: fields, values of the run, saved filters. */
export function FilterInput({
  id,
  filter,
  onInput,
}: {
  readonly id: string;
  readonly filter: Filter;
  readonly onInput: (text: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  /** The caret while the list is open; undefined: it is closed. */
  const [caret, setCaret] = useState<number | undefined>();
  const [at, setAt] = useState(-1);
  const choices = useChoices(filter.text, caret);
  const listId = `${id}-list`;
  const openAt = (place: number | undefined): void => {
    setCaret(place);
    setAt(-1);
  };
  const taken = useRef<number | undefined>(undefined);
  const take = ({ completion }: Choice): void => {
    onInput(completion.text);
    taken.current = completion.caret;
    openAt(completion.caret);
  };
  // In a layout effect, so that the caret is in place before the next key.
  useLayoutEffect(() => {
    if (taken.current !== undefined) field.current?.setSelectionRange(taken.current, taken.current);
    taken.current = undefined;
  }, [filter.text]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (caret === undefined || choices.length === 0) {
      if (event.key !== "ArrowDown") return;
      openAt(field.current!.selectionStart ?? undefined);
    } else {
      const to = placeAfter(event.key, at, choices.length - 1);
      // Tab takes the first completion of a started word; otherwise it leaves the field.
      const isBegun =
        /[^\s,|()]$/.test(filter.text.slice(0, caret)) && !/[<>=!:]$/.test(filter.text.slice(0, caret));
      const chosen = choices[event.key === "Tab" && isBegun ? Math.max(0, at) : at];
      if (to !== undefined) setAt(to);
      // Enter without a choice asks for the result, which the list covers.
      else if (event.key === "Escape" || (event.key === "Enter" && !chosen)) openAt(undefined);
      else if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && chosen) take(chosen);
      else return;
    }
    event.preventDefault();
  };
  return (
    <div class="filter-input">
      <input
        ref={field}
        id={id}
        type="search"
        value={filter.text}
        placeholder="abs>0.5 turn:3 is:number correct:no"
        aria-describedby={`${id}-problems`}
        aria-invalid={filter.problems.length > 0}
        {...describeCombobox(listId, choices.length, at)}
        onInput={({ currentTarget }) => {
          const { value, selectionStart } = currentTarget;
          onInput(value);
          // Without a started word, the list would cover the page unasked; an arrow key opens it.
          const isBegun = /[^\s|(]$/.test(value.slice(0, selectionStart ?? 0));
          openAt(isBegun ? (selectionStart ?? undefined) : undefined);
        }}
        onClick={() => openAt(undefined)}
        onBlur={() => openAt(undefined)}
        onKeyDown={onKeyDown}
      />
      {choices.length > 0 && (
        <OptionList id={listId} label="Completions" items={choices} chosen={at} onTake={take} />
      )}
    </div>
  );
}

function useChoices(text: string, caret: number | undefined): readonly Choice[] {
  const [sequences, shown] = [table().value, run().value];
  const saved = savedFilters();
  return useMemo(() => {
    if (caret === undefined) return [];
    const turns = shown.state === "ready" && shown.value.kind === "view-run" ? shown.value.turns_max : 0;
    return (
      completeFilter(text, caret, {
        valuesOf: (field) => (sequences.state === "ready" ? fieldValues(field, sequences.value, turns) : []),
        saved,
      })
        // A completion that is already written adds nothing.
        .filter((completion) => completion.text.trim() !== text.trim())
        .map((completion, index) => ({
          ...{ key: String(index), label: completion.label, hint: completion.help },
          completion,
        }))
    );
  }, [text, caret, sequences, shown, saved]);
}
