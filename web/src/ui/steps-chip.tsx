import type { RunInfo } from "../../../src/results/view.ts";
import { parseSteps } from "../state/step-range.ts";
import { navigate, type Route, route, type ViewName } from "../state/url.ts";
import "./steps-chip.css";

/**
 * What the figures of a view are narrowed by. Parts that differ carry their own tag; views without an entry have no
 * figures to narrow.
 */
const HEEDS: Readonly<Partial<Record<ViewName, string>>> = {
  answer: "steps",
  steps: "steps",
  doctor: "",
  health: "steps",
  sequences: "steps filter",
  tokens: "steps filter",
  correct: "steps",
  compare: "steps",
  digits: "",
  sql: "",
};

const LISTS: ReadonlySet<ViewName> = new Set(["steps", "sequences", "compare"]);

/** The chosen steps, on views that apply them (a click shows all again), and what the view does not apply. */
export function StepsChip({
  info,
  route: { view, params },
}: {
  readonly info: RunInfo;
  readonly route: Route;
}) {
  const range = parseSteps(params.steps ?? "");
  const own = HEEDS[view];
  if (own === undefined) return null;
  // A bundle cannot compute new sums, but its lists can leave rows out.
  const heeds = info.bundled && !LISTS.has(view) ? "" : own;
  const isNarrowed = range !== null && heeds.includes("steps");
  const isPartial = params.filter !== undefined && !heeds.includes("filter");
  return (
    <>
      {isNarrowed ? (
        <button
          type="button"
          class="steps-chip"
          title="show all steps"
          onClick={() => navigate({ params: { steps: undefined, zoom: undefined } })}
        >
          {range[0] === range[1] ? `step ${range[0]}` : `steps ${range[0]}–${range[1]}`}
          <span class="visually-hidden">: show all steps</span> <span aria-hidden="true">✕</span>
        </button>
      ) : (
        (range !== null || isPartial) && <Tag text="whole run" />
      )}
      {isNarrowed && isPartial && <Tag text="without the filter" />}
    </>
  );
}

/** Marks figures of the whole run in views that otherwise apply the chosen steps. */
export function WholeRunTag() {
  return parseSteps(route.value.params.steps ?? "") === null ? null : <Tag text="whole run" />;
}

function Tag({ text }: { readonly text: string }) {
  return (
    <span class="whole-run" title="these figures do not apply the chosen steps and the filter">
      {text}
    </span>
  );
}
