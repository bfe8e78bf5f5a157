import type { ComparisonWarning } from "../../../src/results/index.ts";
import { comparison } from "../state/loaded.ts";
import { makeHref } from "../state/url.ts";
import "./comparison-warnings.css";

const TITLES = {
  meaningless: "Meaningless",
  doubtful: "Doubtful",
} as const;

/** What speaks against a comparison, before anything that it shows. */
export function ComparisonWarnings({ warnings }: { readonly warnings: readonly ComparisonWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <div class="warnings" role="alert">
      {warnings.map(({ code, severity, what, follows }) => (
        <p key={`${code} ${what}`} class={severity}>
          <strong>{TITLES[severity]}.</strong> {what} <span>{follows}</span>
        </p>
      ))}
    </div>
  );
}

/** In one line, away from the comparison itself: what makes it meaningless. Nothing where nothing does. */
export function ComparisonBanner() {
  const { value: loaded } = comparison();
  if (loaded.state !== "ready") return null;
  const { warnings, names } = loaded.value;
  const worst = warnings.filter(({ severity }) => severity === "meaningless");
  if (worst[0] === undefined) return null;
  const [{ what, follows }] = worst as [ComparisonWarning];
  return (
    <div class="warnings" role="alert">
      <p class="meaningless in-line" title={`${what} ${follows}`}>
        <strong>{TITLES.meaningless}.</strong>
        <a href={makeHref({ view: "compare", token: undefined })}>Comparison with {names.b}</a>
        <span>{what}</span>
      </p>
    </div>
  );
}
