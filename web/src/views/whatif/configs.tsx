import { useState } from "preact/hooks";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Exact } from "./exact.ts";

const COMMAND = "logratio";

/** The setting as each trainer's config that can do exactly this, and as a command. */
export function Configs({ exact }: { readonly exact: Exact }) {
  const [wanted, want] = useState(COMMAND);
  if (exact.state !== "ready")
    return <p class="muted">{exact.state === "failed" ? "No configs without an exact answer." : "…"}</p>;
  const { configs, command } = exact.answer;
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
    <div class="configs">
      {names.length === 1 && <p class="muted">No trainer has settings for exactly this.</p>}
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
        <CopyButton label={current === COMMAND ? "Copy command" : "Copy config"} text={() => text} />
      </div>
    </div>
  );
}
