import { useState } from "preact/hooks";
import type { AnswerMistake, AnswerSide } from "../../../../src/results/index.ts";
import { makeHref } from "../../state/url.ts";
import { MoveLink } from "../../ui/place-link.tsx";
import { Context } from "../../ui/report-table.tsx";

/** One mistake at a time, the one that counts most first. */
export function MistakeCard({ mistakes }: { readonly mistakes: readonly AnswerMistake[] }) {
  const [at, setAt] = useState(0);
  const shown = mistakes[at] ?? mistakes[0]!;
  const { handle, move, group, count, prompt, context, sides, reach } = shown;
  return (
    <section class="card mistake" aria-label="Worst mistake">
      <h2>
        Worst mistake{" "}
        <small>
          {move === null ? handle : <MoveLink move={move} text={handle} />}
          {(count !== "" || prompt !== "") && ` · ${count === "" ? "answer" : count}`}
          {prompt !== "" && (
            <>
              {" to "}
              <q>{prompt}</q>
            </>
          )}
        </small>
      </h2>
      {context !== null && (
        <p class="quote">
          <Context of={context} />
        </p>
      )}
      <div class="sides">
        {sides.map((side) => (
          <Side key={side.name} of={side} />
        ))}
      </div>
      <p>
        {reach}{" "}
        {group !== null && (
          <>
            <a href={makeHref({ ...group, token: undefined })} title="the answers to its prompt side by side">
              compare
            </a>{" "}
            ·{" "}
          </>
        )}
        <a href={makeHref({ view: "tokens", token: undefined })}>tokens</a>
        {mistakes.length > 1 && (
          <>
            {" · "}
            <button
              type="button"
              class="quiet"
              title={`${at + 1} of ${mistakes.length}`}
              onClick={() => setAt((at + 1) % mistakes.length)}
            >
              next →
            </button>
          </>
        )}
      </p>
    </section>
  );
}

function Side({ of: { name, tokens } }: { readonly of: AnswerSide }) {
  return (
    <>
      <b>{name}</b>
      {tokens.map(({ text, is_written, probability, bar }) => (
        <span key={text} class={name}>
          {text !== null &&
            (is_written ? <mark title="what the engine wrote">{text}</mark> : <code>{text}</code>)}{" "}
          {probability}{" "}
          <span class="bar" aria-hidden="true">
            <i style={{ width: `${100 * bar}%` }} />
          </span>
        </span>
      ))}
    </>
  );
}
