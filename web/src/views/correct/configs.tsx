import { useState } from "preact/hooks";
import type { SweepConfig } from "../../../../src/results/sweep.ts";
import type { CorrectAnswer, RunInfo } from "../../../../src/results/view.ts";
import {
  type Correction,
  formatCorrection,
  parseCorrection,
} from "../../../../src/trainers/neutral/index.ts";
import type { Exact } from "../../state/exact.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

const COMMAND = "logratio";

interface ConfigsProps {
  readonly info: RunInfo;
  readonly correction: Correction;
  readonly exact: Exact<CorrectAnswer>;
  /** Without a server: the configs of the recommended correction, if this is it. */
  readonly known: readonly SweepConfig[] | undefined;
  readonly onChange: (correction: Correction) => void;
}

/** The correction as a config of each trainer, the run's own first, and as a command. */
export function Configs({ info, correction, exact, known, onChange }: ConfigsProps) {
  const { trainers, shipped } = info;
  const [wanted, want] = useState(trainers.length === 1 ? trainers[0]! : COMMAND);
  const answer = exact.state === "ready" ? exact.answer : exact.state === "asking" ? exact.last : undefined;
  const texts = new Map([
    ...(known ?? []).map(({ preset, text }) => [preset, text] as const),
    ...(answer === undefined ? [] : [...Object.entries(answer.configs), [COMMAND, answer.command] as const]),
  ]);
  const names = [...new Set([...shipped.flatMap(({ presets }) => presets), ...texts.keys(), COMMAND])];
  const current = names.includes(wanted) ? wanted : COMMAND;
  const text = texts.get(current);
  const go = (step: number): void => {
    const next = names[(names.indexOf(current) + step + names.length) % names.length]!;
    want(next);
    document.getElementById(`config-tab-${next}`)?.focus();
  };
  // A config of the previous correction must not be copied.
  const isStale = exact.state === "asking";
  return (
    <>
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
      <div
        id="config-text"
        class={isStale ? "stale" : ""}
        role="tabpanel"
        aria-labelledby={`config-tab-${current}`}
      >
        <p class="muted">{answer?.words ?? "…"}</p>
        {text !== undefined ? (
          <>
            <pre>{text}</pre>
            <CopyButton
              label={current === COMMAND ? "Copy command" : "Copy config"}
              disabled={isStale}
              text={() => text}
            />
          </>
        ) : (
          !isStale && (
            <p>
              {exact.state === "failed"
                ? "The config comes with the exact figures, which are not available here."
                : `No settings of ${current} do exactly this.`}
            </p>
          )
        )}
        {shipped
          .filter(({ presets }) => presets.includes(current))
          .map(({ correction: own, words }) => (
            <p key={own} class="muted">
              {current} as shipped – {words}.{" "}
              {own === formatCorrection(correction) ? (
                "That is this one."
              ) : (
                <button type="button" onClick={() => onChange(parseCorrection(own))}>
                  Try that
                </button>
              )}
            </p>
          ))}
      </div>
    </>
  );
}
