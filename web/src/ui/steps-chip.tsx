import type { RunInfo } from "../../../src/results/index.ts";
import { parseSteps } from "../state/step-range.ts";
import { navigate, type Route } from "../state/url.ts";
import "./steps-chip.css";

/** The selected steps, on views that apply them; a click shows all again. */
export function StepsChip({ info, route }: { readonly info: RunInfo; readonly route: Route }) {
  const range = parseSteps(route.params.steps ?? "");
  if (range === null || !heedsSteps(info, route)) return null;
  const [from, to] = range;
  return (
    <button
      type="button"
      class="steps-chip"
      title="show all steps"
      onClick={() => navigate({ params: { steps: undefined, zoom: undefined } })}
    >
      {from === to ? `step ${from}` : `steps ${from}–${to}`}
      <span class="visually-hidden">: show all steps</span> <span aria-hidden="true">✕</span>
    </button>
  );
}

/** A bundle cannot answer for a selection of steps. */
function heedsSteps({ bundled }: RunInfo, { view, params }: Route): boolean {
  if (view === "overview" || view === "sequences") return true;
  if (bundled) return false;
  return view === "correct" || (view === "tokens" && (params.by ?? "occurrence") === "occurrence");
}
