import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { formatCount } from "../../../../src/render/text/display/index.ts";
import { navigate } from "../../state/url.ts";
import type { Finding } from "./model/finding.ts";

/** While someone types, the text is looked for once they pause. */
const PAUSE = 150;

export interface FindBandProps {
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
}

/** Where one writes what to find, how often it is there, and the way from one to the next. */
export function FindBand(props: FindBandProps) {
  const { find, finding, findsText, at, onClose } = props;
  const id = useId();
  const { input, step, handlers } = useFindBox(props);
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
        {...handlers}
      />
      <StepButton label="Previous hit" keys="N, Shift+Enter" arrow="↑" {...{ count }} run={() => step(-1)} />
      <StepButton label="Next hit" keys="n, Enter" arrow="↓" {...{ count }} run={() => step(1)} />
      <span id={`${id}-said`} class="find-said" role="status">
        <Said finding={finding} count={count} at={at} />
        {finding?.problem !== undefined && ` · read as text: ${finding.problem}`}
      </span>
      {finding?.isFilter === true && <AsText find={find} findsText={findsText} />}
      <button type="button" class="quiet" aria-label="Close find" onClick={onClose}>
        ✕
      </button>
    </search>
  );
}

/**
 * The box is ahead of the address: what is written in it is looked for after a pause, and a step takes what is written
 * by now. So its value is its own, set from the address only while nobody writes.
 */
function useFindBox({ find, inFocus, onFind, onStep, onClose }: FindBandProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useLayoutEffect(() => {
    if (input.current !== document.activeElement) input.current!.value = find;
  }, [find]);
  useLayoutEffect(() => {
    if (inFocus > 0) input.current?.select();
  }, [inFocus]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const written = (): string => input.current?.value ?? "";
  const step = (way: 1 | -1): void => {
    // Looking again after the step would lead back to the first hit.
    clearTimeout(timer.current);
    onStep(way, written());
  };
  const onInput = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onFind(written()), PAUSE) as unknown as number;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter ends a composition of characters there.
    if (event.isComposing) return;
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
  };
  return { input, step, handlers: { onInput, onKeyDown } };
}

function StepButton({
  label,
  keys,
  arrow,
  count,
  run,
}: {
  readonly label: string;
  readonly keys: string;
  readonly arrow: string;
  readonly count: number;
  readonly run: () => void;
}) {
  return (
    <button type="button" aria-label={label} title={keys} disabled={count === 0} onClick={run}>
      {arrow}
    </button>
  );
}

/** How often it is there, and which of them is looked at. */
function Said({ finding, count, at }: Pick<FindBandProps, "finding" | "at"> & { readonly count: number }) {
  if (finding === undefined) return "Enter and n go on, Shift+Enter and N back";
  const isTokens = finding.kind === "tokens";
  if (count === 0) return isTokens ? "no token matches" : "not in this text";
  return (
    <>
      <strong>{at < 0 ? formatCount(count) : `${formatCount(at + 1)} of ${formatCount(count)}`}</strong>{" "}
      {isTokens ? "matching tokens" : at < 0 && count === 1 ? "hit" : "hits"}
    </>
  );
}

function AsText({ find, findsText }: Pick<FindBandProps, "find" | "findsText">) {
  const params = { find, "find-as": findsText ? undefined : "text" };
  return (
    <button
      type="button"
      aria-pressed={findsText}
      title="look for what is written, not for tokens that it describes"
      onClick={() => navigate({ params }, { replace: true })}
    >
      as text
    </button>
  );
}
