import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { formatCount } from "../../../../src/render/text/display/index.ts";
import { navigate } from "../../state/url.ts";
import type { Finding } from "./model/finding.ts";

/** Milliseconds: while the reader types, the search starts at a pause. */
const PAUSE = 150;

export interface FindBandProps {
  readonly find: string;
  /** Undefined while the box is empty. */
  readonly finding: Finding | undefined;
  readonly findsText: boolean;
  /** The current hit; -1: none. */
  readonly at: number;
  /** A counter that changes when the box should get the focus; 0: never requested. */
  readonly inFocus: number;
  readonly onFind: (text: string) => void;
  /** Goes to the next (or previous) hit of the current text. */
  readonly onStep: (way: 1 | -1, text: string) => void;
  readonly onClose: () => void;
}

/** The find box: its text, the number of hits, and buttons to go from one to the next. */
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
 * The box is ahead of the address: its text is searched for after a pause, and a step uses the current text. Therefore
 * it keeps its own value, which is set from the address only while the reader does not type.
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
    // A pending search would return to the first hit after the step.
    clearTimeout(timer.current);
    onStep(way, written());
  };
  const onInput = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onFind(written()), PAUSE) as unknown as number;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // During composition (IME), Enter ends the composition.
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

/** The number of hits, and which one is current. */
function Said({ finding, count, at }: Pick<FindBandProps, "finding" | "at"> & { readonly count: number }) {
  if (finding === undefined) return "Enter and n: next; Shift+Enter and N: previous";
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
      title="search for these characters, not for tokens that match them as a filter"
      onClick={() => navigate({ params }, { replace: true })}
    >
      as text
    </button>
  );
}
