import type { AnswerShift } from "../../../../src/results/answer-page.ts";
import { BarList } from "./bar-list.tsx";

/** Mean |Δ| with one column shifted by a number of tokens, for several shifts; the one that fits is marked. */
export function Shifts({ of }: { readonly of: readonly AnswerShift[] }) {
  return (
    <section class="card shifts" aria-label="Shifts">
      <h2>
        Trainer's column moved by <small>mean |Δ|, log-prob difference, in nats</small>
      </h2>
      <BarList
        rows={of.map(({ label, value, bar, fits }) => ({
          key: label,
          label: fits ? `${label} ✓` : label,
          value,
          bar,
          class: fits ? "fits" : "",
        }))}
      />
    </section>
  );
}
