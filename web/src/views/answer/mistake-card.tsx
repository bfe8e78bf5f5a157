import { useState } from "preact/hooks";
import type { AnswerMistake, AnswerSide } from "../../../../src/results/answer-page.ts";
import type { EventRank } from "../../../../src/results/events.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import { MoveLink } from "../../ui/place-link.tsx";
import { Context } from "../../ui/report-table.tsx";

/** One mistake at a time: the largest first or, with `rank=gradient`, the one with the most weight in the gradient. */
export function MistakeCard({ mistakes: all }: { readonly mistakes: readonly AnswerMistake[] }) {
  const hasRanks = all.some(({ places }) => places.gradient !== null);
  const rank: EventRank = hasRanks && route.value.params.rank === "gradient" ? "gradient" : "raw";
  const mistakes = all
    .filter(({ places }) => places[rank] !== null)
    .sort((a, b) => a.places[rank]! - b.places[rank]!);
  const [from, setFrom] = useState({ rank, at: 0 });
  const at = from.rank === rank && from.at < mistakes.length ? from.at : 0;
  const shown = mistakes[at]!;
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
      {hasRanks && (
        <Choice
          label={<span class="visually-hidden">by</span>}
          name="rank"
          value={rank}
          options={[
            { name: "raw", title: "size", hint: "Σ|Δ| of its tokens" },
            {
              name: "gradient",
              title: "gradient",
              hint: "what reaches the gradient: Σ|A||ρ − 1| of its tokens",
            },
          ]}
          onChange={(next) =>
            navigate({ params: { rank: next === "raw" ? undefined : next } }, { replace: true })
          }
        />
      )}
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
            <a href={makeHref({ ...group, token: undefined })}>compare</a>{" "}
          </>
        )}
        {mistakes.length > 1 && (
          <>
            {" · "}
            <button
              type="button"
              class="quiet"
              title={`${at + 1} of ${mistakes.length}`}
              onClick={() => setFrom({ rank, at: (at + 1) % mistakes.length })}
            >
              next mistake
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
