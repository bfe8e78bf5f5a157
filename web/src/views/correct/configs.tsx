import { useState } from "preact/hooks";
import type { CorrectAnswer } from "../../../../src/results/index.ts";
import type { Exact } from "../../state/exact.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

const COMMAND = "logratio";

/** The correction as a config of each trainer that can express it exactly, and as a command. */
export function Configs({ exact }: { readonly exact: Exact<CorrectAnswer> }) {
  const [wanted, want] = useState(COMMAND);
  if (exact.state === "failed")
    return <p class="muted">Configs come with the exact figures, which are not available here.</p>;
  const answer = exact.state === "ready" ? exact.answer : exact.last;
  if (answer === undefined) return <p class="muted">…</p>;
  const { configs, command } = answer;
  const texts: Readonly<Record<string, string>> = { ...configs, [COMMAND]: command };
  const names = Object.keys(texts);
  const current = names.includes(wanted) ? wanted : names[0]!;
  const text = texts[current]!;
  const go = (step: number): void => {
    const next = names[(names.indexOf(current) + step + names.length) % names.length]!;
    want(next);
    document.getElementById(`config-tab-${next}`)?.focus();
  };
  return (
    <div class={exact.state === "ready" ? "configs" : "configs stale"}>
      {names.length === 1 && <p class="muted">No trainer's settings express exactly this.</p>}
      <div role="tablist" aria-label="Configs">
        {names.map((name) => (
          <button
            key={name}
            id={`config-tab-${name}`}
            type="button"
            role="tab"
            aria-selected={name === current}
            aria-controls="config-text"
            tabIndex={name === current ? 0 : -1}
            onClick={() => want(name)}
            onKeyDown={(event) => {
              if (event.key === "ArrowRight") go(1);
              if (event.key === "ArrowLeft") go(-1);
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="config-text" role="tabpanel" aria-labelledby={`config-tab-${current}`}>
        <pre>{text}</pre>
        {/* What is copied is never of the correction before. */}
        <CopyButton
          label={current === COMMAND ? "Copy command" : "Copy config"}
          disabled={exact.state !== "ready"}
          text={() => text}
        />
      </div>
    </div>
  );
}
