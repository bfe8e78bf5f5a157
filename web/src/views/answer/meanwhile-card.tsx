import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SweepConfig, SweepReport } from "../../../../src/results/sweep.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import { parseSteps } from "../../state/step-range.ts";
import { useSweep } from "../../state/sweep.ts";
import { makeHref, route } from "../../state/url.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import { sayEffect, shortConfig } from "./say-effect.ts";

interface MeanwhileProps {
  readonly info: RunInfo;
  readonly trainer: string | null;
}

/** The correction that `logratio sweep` recommends, and its config; computed by the server on request. */
export function MeanwhileCard({ info, trainer }: MeanwhileProps) {
  const range = info.bundled ? null : parseSteps(route.value.params.steps ?? "");
  const { swept, ask } = useSweep(info, range);
  return (
    <section class="card meanwhile" aria-label="Meanwhile">
      {ask === undefined ? (
        <WhenLoaded of={swept}>{(report) => <Recommended report={report} trainer={trainer} />}</WhenLoaded>
      ) : (
        <>
          <h2>Meanwhile</h2>
          <button type="button" onClick={ask}>
            Recommend a correction
          </button>
        </>
      )}
    </section>
  );
}

function Recommended({
  report,
  trainer,
}: { readonly report: SweepReport } & Pick<MeanwhileProps, "trainer">) {
  const { corrections, recommendation, configs } = report;
  const { kind, name } = recommendation;
  const found = corrections.find((each) => each.name === name);
  const href = makeHref({
    view: "correct",
    token: undefined,
    params: { correction: found?.correction_text },
  });
  if (kind === "none needed")
    return (
      <>
        <h2>Meanwhile: nothing</h2>
        <p>
          No correction is needed. <a href={href}>{name} as a safety net</a>
        </p>
      </>
    );
  return (
    <>
      <h2>
        Meanwhile: <a href={href}>{name}</a>
      </h2>
      <p>
        {kind === "none fits" && "No correction keeps within the limits; this is the mildest. "}
        {found !== undefined && sayEffect(report, found)}
      </p>
      <Config configs={configs} trainer={trainer} others={<a href={href}>others</a>} />
    </>
  );
}

/** The config of the trainer that wrote the files, and of the others on request. */
function Config({
  configs,
  trainer,
  others,
}: Pick<MeanwhileProps, "trainer"> & {
  readonly configs: readonly SweepConfig[];
  readonly others: ComponentChildren;
}) {
  const own = configs.findIndex((config) => config.trainer === trainer);
  const [chosen, choose] = useState<number>();
  const at = chosen ?? Math.max(0, own);
  const config = configs[at];
  const who = own < 0 && trainer !== null ? trainer : config === undefined ? "any trainer" : undefined;
  return (
    <>
      {who !== undefined && <p class="muted">No setting of {who} does exactly this.</p>}
      {config !== undefined && <pre>{shortConfig(config.text)}</pre>}
      <p class="tools">
        {config !== undefined && (
          <>
            <CopyButton label="Copy" text={() => config.text} />
            <select
              aria-label="Trainer"
              value={String(at)}
              onChange={(event) => choose(Number(event.currentTarget.value))}
            >
              {configs.map(({ preset }, index) => (
                <option key={preset} value={String(index)}>
                  {preset}
                </option>
              ))}
            </select>
          </>
        )}
        {others}
      </p>
    </>
  );
}
