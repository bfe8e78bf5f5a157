import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { formatCount } from "../../../../src/render/text/display/index.ts";
import { navigate } from "../../state/url.ts";
import type { Finding } from "./model/finding.ts";

/** While someone types, the text is looked for once they pause. */
const PAUSE = 150;

/** Where one writes what to find, how often it is there, and the way from one to the next. */
export function FindBand({
  find,
  finding,
  findsText,
  at,
  inFocus,
  onFind,
  onStep,
  onClose,
}: {
  readonly find: string;
  /** Undefined while nothing is written. */
  readonly finding: Finding | undefined;
  readonly findsText: boolean;
  /** The hit that is looked at; -1: none. */
  readonly at: number;
  /** Changes when the box is to have the focus; 0: it has not been asked for. */
  readonly inFocus: number;
  readonly onFind: (text: string) => void;
  /** To the next (or last) one of what is written by now. */
  readonly onStep: (way: 1 | -1, text: string) => void;
  readonly onClose: () => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useLayoutEffect(() => {
    // Not while someone writes: what they have written is ahead of what is looked for.
    if (input.current !== document.activeElement) input.current!.value = find;
  }, [find]);
  useLayoutEffect(() => {
    if (inFocus > 0) input.current?.select();
  }, [inFocus]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const written = (): string => input.current?.value ?? "";
  const step = (way: 1 | -1): void => {
    clearTimeout(timer.current);
    onStep(way, written());
  };
  const count = finding?.hits.from.length ?? 0;
  return (
    <search class="find-band">
      <label for={id}>Find</label>
      <input
        ref={input}
        id={id}
        type="search"
        spellcheck={false}
        autocomplete="off"
        placeholder="text, or tokens: abs>0.5 is:number turn:3"
        aria-describedby={`${id}-said`}
        onInput={() => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onFind(written()), PAUSE) as unknown as number;
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
        }}
      />
      <button
        type="button"
        aria-label="Previous hit"
        title="N, Shift+Enter"
        disabled={count === 0}
        onClick={() => step(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        aria-label="Next hit"
        title="n, Enter"
        disabled={count === 0}
        onClick={() => step(1)}
      >
        ↓
      </button>
      <span id={`${id}-said`} class="find-said" role="status">
        {finding === undefined ? (
          "Enter and n go on, Shift+Enter and N back"
        ) : count === 0 ? (
          finding.kind === "tokens" ? (
            "no token matches"
          ) : (
            "not in this text"
          )
        ) : (
          <>
            <strong>{at < 0 ? formatCount(count) : `${formatCount(at + 1)} of ${formatCount(count)}`}</strong>{" "}
            {finding.kind === "tokens" ? "matching tokens" : at < 0 && count === 1 ? "hit" : "hits"}
          </>
        )}
        {finding?.problem !== undefined && ` · read as text: ${finding.problem}`}
      </span>
      {finding?.isFilter === true && (
        <button
          type="button"
          aria-pressed={findsText}
          title="look for what is written, not for tokens that it describes"
          onClick={() =>
            navigate({ params: { find, "find-as": findsText ? undefined : "text" } }, { replace: true })
          }
        >
          as text
        </button>
      )}
      <button type="button" class="quiet" aria-label="Close find" onClick={onClose}>
        ✕
      </button>
    </search>
  );
}
