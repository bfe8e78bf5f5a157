import { moveToHandle } from "../state/handles.ts";
import { table } from "../state/loaded.ts";
import { type Move, makeHref } from "../state/url.ts";
import { textParts } from "./linked-text.ts";
import { StarMark } from "./star-button.tsx";

/** A handle that links to its sequence or token once the table is loaded. */
export function HandleLink({ handle }: { readonly handle: string }) {
  const loaded = table().value;
  const move = loaded.state === "ready" ? moveToHandle(loaded.value, handle) : undefined;
  return move === undefined ? <span class="handle">{handle}</span> : <MoveLink move={move} text={handle} />;
}

/** A link to a place, whose text may be a handle. Stars are read only for sequences: a study has none. */
export function MoveLink({ move, text }: { readonly move: Move; readonly text: string }) {
  return (
    <>
      <a href={makeHref(move)}>{text}</a>
      {move.view === "sequence" && <StarMark handle={text} />}
    </>
  );
}

export function stepHref(step: number, last = step): string {
  return makeHref({ view: "sequences", token: undefined, params: { steps: `${step}..${last}` } });
}

/** A sentence of the report; the steps, turns and handles in it are links. */
export function LinkedText({ text }: { readonly text: string }) {
  return (
    <>
      {textParts(text).map((part, index) => {
        if (part.kind === "text") return <Unbroken key={index} text={part.text} />;
        if (part.kind === "handle") return <HandleLink key={index} handle={part.text} />;
        // Turns link to the view that lists them, each with its worst token.
        const href =
          part.kind === "turn"
            ? makeHref({ view: "tokens", token: undefined, params: { by: "turn", find: undefined } })
            : stepHref(part.from, part.to);
        return (
          <a key={index} href={href}>
            {part.text}
          </a>
        );
      })}
    </>
  );
}

/** Text whose |Δ| and |Δp| are never broken across lines. */
function Unbroken({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/(\|Δp?\|)/)
        .map((piece, index) => (index % 2 === 0 ? piece : <span class="unbroken">{piece}</span>))}
    </>
  );
}
