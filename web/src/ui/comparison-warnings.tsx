import type { ComparisonWarning, RunInfo } from "../../../src/results/view.ts";
import { nameComparedWith } from "../state/compared-with.ts";
import { otherRun } from "../state/loaded.ts";
import { makeHref } from "../state/url.ts";
import "./comparison-warnings.css";

const TITLES = {
  meaningless: "Meaningless",
  doubtful: "Doubtful",
} as const;

/** Reasons to doubt a comparison, shown above its figures. */
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

/** One line per run on other views, if something makes the comparison meaningless. */
export function ComparisonBanner({ compared }: Pick<RunInfo, "compared">) {
  return (
    <>
      {compared.map((name, at) => (
        <Banner key={name} name={name} at={at} compared={compared} />
      ))}
    </>
  );
}

function Banner({
  name,
  at,
  compared,
}: { readonly name: string; readonly at: number } & Pick<RunInfo, "compared">) {
  const { value: loaded } = otherRun(at).comparison();
  if (loaded.state !== "ready") return null;
  const worst = loaded.value.warnings.find(({ severity }) => severity === "meaningless");
  if (worst === undefined) return null;
  const params = { with: nameComparedWith({ compared }, at) };
  return (
    <div class="warnings" role="alert">
      <p class="meaningless in-line" title={`${worst.what} ${worst.follows}`}>
        <strong>{TITLES.meaningless}.</strong>
        <a href={makeHref({ view: "compare", token: undefined, params })}>Comparison with {name}</a>
        <span>{worst.what}</span>
      </p>
    </div>
  );
}
