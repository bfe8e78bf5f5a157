import { useEffect, useMemo, useRef } from "preact/hooks";
import { printable } from "../../../../../src/render/text/index.ts";
import { splitPieces } from "./pieces.ts";
import { classesAt, errorClasses, type TextModel } from "./text-model.ts";
import { runningToken } from "./token-text.ts";
import { WhenNear } from "./when-near.tsx";

/** Shorter texts are drawn whole. */
const LONG = 4096;

/** The text, colored by its KL at one checkpoint. A click selects a token; keys move the selection. */
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
  const pieces = useMemo(() => {
    const { tokens } = model.wire.meta;
    const isLong = tokens.length >= LONG;
    return splitPieces(tokens).map(([from, to]) => {
      const text = isLong ? tokens.slice(from, to).map(runningToken).join("") : "";
      return { from, to, text };
    });
  }, [model]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys walk the tokens, wherever the focus is
    <section
      ref={box}
      class="heat-strip"
      dir="ltr"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
      tabIndex={0}
      aria-label={`The response, colored by KL at ${printable(model.wire.meta.checkpoints[checkpoint] ?? "")}`}
      onClick={({ target }) => {
        const chosen = findToken(target);
        if (chosen !== undefined) onChoose(chosen);
      }}
    >
      {pieces.map(({ from, to, text }) => {
        const chosen = token !== undefined && token >= from && token < to ? token : undefined;
        return (
          <WhenNear key={from} isNear={chosen !== undefined || model.tokens < LONG} otherwise={text}>
            {() => <Piece model={model} checkpoint={checkpoint} from={from} to={to} token={chosen} />}
          </WhenNear>
        );
      })}
    </section>
  );
}

/** The token of a page element. */
export function findToken(target: EventTarget | null): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-token]") : null;
  return element === null ? undefined : Number(element.dataset.token);
}

function Piece({
  model,
  checkpoint,
  from,
  to,
  token,
}: {
  readonly model: TextModel;
  readonly checkpoint: number;
  readonly from: number;
  readonly to: number;
  readonly token: number | undefined;
}) {
  return useMemo(() => {
    const places = Array.from({ length: to - from }, (_, at) => from + at);
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
  }, [model, checkpoint, from, to, token]);
}
