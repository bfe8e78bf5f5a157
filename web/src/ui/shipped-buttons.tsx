import type { ShippedCorrection } from "../../../src/results/view.ts";
import { type Correction, formatCorrection, parseCorrection } from "../../../src/trainers/neutral/index.ts";

/** Trainers' default corrections, one click each. */
export function ShippedButtons({
  shipped,
  correction,
  onChange,
}: {
  readonly shipped: readonly ShippedCorrection[];
  /** Undefined: none is chosen. */
  readonly correction: Correction | undefined;
  readonly onChange: (correction: Correction) => void;
}) {
  const chosen = correction && formatCorrection(correction);
  return (
    <p class="trainer-buttons">
      <span>Trainer presets:</span>{" "}
      {shipped.map(({ presets, correction: text, words }) => (
        <button
          key={text}
          type="button"
          aria-pressed={text === chosen}
          title={words}
          onClick={() => onChange(parseCorrection(text))}
        >
          {presets.join(", ")}
        </button>
      ))}
    </p>
  );
}
