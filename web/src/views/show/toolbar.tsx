import { navigate } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import type { Choices } from "./choices.ts";
import { CorrectionPicker } from "./correction.tsx";

const MODES = [
  { name: "reading", title: "reading", hint: "Text as it was written" },
  { name: "exact", title: "exact", hint: "Every character visible: · → ⏎ ‹U+200B›" },
  { name: "ids", title: "ids", hint: "Token ids" },
] as const;

/** What the strip shows, and how. Every choice is in the address. */
export function Toolbar({
  choices,
  hasTexts,
  numbers,
  onFind,
}: {
  readonly choices: Choices;
  readonly hasTexts: boolean;
  /** Whether the sequence has numbers; undefined if no token is known to be a digit. */
  readonly numbers: boolean | undefined;
  readonly onFind: () => void;
}) {
  return (
    <div class="toolbar">
      <Choice
        label="color"
        name="metric"
        options={choices.metrics.map(({ name, title, meaning }, at) => ({
          name,
          title,
          hint: at < 9 ? `${meaning} (${at + 1})` : meaning,
        }))}
        value={choices.metric.name}
        onChange={chooseMetric}
      />
      {hasTexts && (
        <Choice
          label="text"
          name="mode"
          options={MODES}
          value={choices.mode}
          onChange={(mode) => navigate({ params: { mode: mode === "reading" ? undefined : mode } })}
        />
      )}
      {numbers !== undefined && (
        <button
          type="button"
          class="numbers-toggle"
          aria-pressed={choices.numbers}
          disabled={!numbers}
          title={numbers ? "group digits into numbers, with their places (d)" : "no number in this sequence"}
          onClick={() => toggleNumbers(choices)}
        >
          numbers
        </button>
      )}
      <button type="button" title="find in all tokens (/)" onClick={onFind}>
        find
      </button>
      <CorrectionPicker />
    </div>
  );
}

export function toggleNumbers({ numbers }: Pick<Choices, "numbers">): void {
  navigate({ params: { numbers: numbers ? undefined : "on" } });
}

/** Changes the metric, and resets a scale set by the reader, which is in the units of one metric. */
export function chooseMetric(name: string): void {
  navigate({ params: { metric: name, scale: undefined } });
}
