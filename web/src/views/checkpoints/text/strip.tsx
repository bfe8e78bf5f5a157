import { useEffect, useMemo, useRef } from "preact/hooks";
import { printable } from "../../../../../src/report/printable.ts";
import { classesAt, errorClasses, type TextModel } from "./text-model.ts";
import { runningToken } from "./token-text.ts";

/** Tokens that are drawn again together when one of them is chosen. */
const PIECE = 128;

/** The text, coloured by its KL at one checkpoint. A click chooses a token; keys walk. */
export function Strip({
  model,
  checkpoint,
  token,
  onChoose,
}: {
  readonly model: TextModel;
  readonly checkpoint: number;
  readonly token: number | undefined;
  readonly onChoose: (token: number) => void;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (token === undefined) return;
    box.current?.querySelector(`[data-token="${token}"]`)?.scrollIntoView({ block: "nearest" });
  }, [model, token]);
  const pieces = Array.from({ length: Math.ceil(model.tokens / PIECE) }, (_, at) => at * PIECE);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys walk the tokens, wherever the focus is
    <section
      ref={box}
      class="heat-strip"
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach that
      tabIndex={0}
      aria-label={`The response, coloured by KL at ${printable(model.wire.meta.checkpoints[checkpoint] ?? "")}`}
      onClick={({ target }) => {
        const chosen = tokenOf(target);
        if (chosen !== undefined) onChoose(chosen);
      }}
    >
      {pieces.map((from) => (
        <Piece
          key={from}
          model={model}
          checkpoint={checkpoint}
          from={from}
          token={token !== undefined && token >= from && token < from + PIECE ? token : undefined}
        />
      ))}
    </section>
  );
}

/** The token that something of the page is about. */
export function tokenOf(target: EventTarget | null): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-token]") : null;
  return element === null ? undefined : Number(element.dataset.token);
}

function Piece({
  model,
  checkpoint,
  from,
  token,
}: {
  readonly model: TextModel;
  readonly checkpoint: number;
  readonly from: number;
  readonly token: number | undefined;
}) {
  return useMemo(() => {
    const places = Array.from({ length: Math.min(PIECE, model.tokens - from) }, (_, at) => from + at);
    return (
      <>
        {places.map((place) => (
          <span
            key={place}
            data-token={place}
            class={`${classesAt(model, checkpoint, place)}${errorClasses(model, place)}${place === token ? " chosen" : ""}`}
          >
            {runningToken(model.wire.meta.tokens[place] ?? "")}
          </span>
        ))}
      </>
    );
  }, [model, checkpoint, from, token]);
}
