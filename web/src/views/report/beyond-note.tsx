import { formatCounted, formatNumber } from "../../../../src/render/text/display/index.ts";
import { makeHref } from "../../state/url.ts";
import { stepHref } from "../../ui/place-link.tsx";
import { type Beyond, stepTerm } from "./beyond.ts";

/** The most steps that fit into a filter. */
const MOST_STEPS = 200;
const MOST_NAMED = 3;

/** How many steps are beyond a baseline, with a link to their sequences, and the worst of them by name. */
export function BeyondNote({ of: { ticks, limit, band, source, steps } }: { readonly of: Beyond }) {
  const sign = limit.startsWith("below") ? 1 : -1;
  const worst = ticks.toSorted((a, b) => sign * (a.value - b.value));
  const filter = stepTerm(
    steps,
    worst.slice(0, MOST_STEPS).map(({ x }) => x),
  );
  return (
    <li class="beyond" title={`${band} (${source})`}>
      <span aria-hidden="true">▏</span>
      <a href={makeHref({ view: "sequences", token: undefined, params: { filter, steps: undefined } })}>
        {ticks.length > MOST_STEPS ? `the worst ${MOST_STEPS} of ` : ""}
        {formatCounted(ticks.length, "step")}
      </a>{" "}
      {limit}:{" "}
      {worst.slice(0, MOST_NAMED).map(({ x, value, group }, index) => (
        <>
          {index > 0 && ", "}
          <a key={x} href={stepHref(x)} title={formatNumber(value)}>
            {x}
          </a>
          {group !== undefined && ` (${group})`}
        </>
      ))}
      {ticks.length > MOST_NAMED && ", …"}
    </li>
  );
}
