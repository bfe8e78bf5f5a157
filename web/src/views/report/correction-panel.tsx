import type { RunInfo } from "../../../../src/results/index.ts";
import { client } from "../../api/client.ts";
import { useExact } from "../../state/exact.ts";
import { hasSetting, parseSetting, questionOf, type Setting, settingParams } from "../../state/setting.ts";
import type { StepRange } from "../../state/step-range.ts";
import { hrefOf, navigate, route } from "../../state/url.ts";
import type { PlotEvents } from "../../ui/chart-plot.tsx";
import { CorrectionCharts } from "../../ui/correction-charts.tsx";
import { SettingPicker, TrainerButtons } from "../../ui/setting-picker.tsx";

/** What the correction of the address does, step by step; without one the ways to one. */
export function CorrectionPanel({
  info,
  ...view
}: PlotEvents & {
  readonly info: RunInfo;
  readonly cut: StepRange | null;
}) {
  const { params } = route.value;
  const isSet = hasSetting(params);
  const setting = parseSetting(params);
  const isAsked = isSet && !info.bundled;
  const exact = useExact(client.exactSteps, isAsked ? questionOf(setting) : undefined);
  const data = exact.state === "ready" ? exact.answer : exact.state === "asking" ? exact.last : undefined;
  const change = (next: Setting): void => navigate({ params: settingParams(next) });
  return (
    <section class="correction" aria-labelledby="correction-title">
      <div class="head">
        <h3 id="correction-title">
          {isSet ? "Under the current correction" : "What a correction would do, step by step"}
        </h3>
        {isAsked && (
          <>
            <a href={hrefOf({ view: "whatif", token: undefined })}>drag its thresholds</a>
            <button type="button" onClick={() => navigate({ params: NO_SETTING })}>
              none
            </button>
          </>
        )}
      </div>
      {info.bundled ? (
        <p class="note">
          What a correction does at each step is counted by <code>logratio view</code> of the run itself;
          these are files, which cannot.
        </p>
      ) : (
        <>
          <TrainerButtons setting={isSet ? setting : undefined} onChange={change} />
          {isSet && <SettingPicker compact setting={setting} onChange={change} />}
          {exact.state === "failed" && <p class="failed">{exact.message}</p>}
          {isSet && data === undefined && exact.state === "asking" && <p class="note">counting …</p>}
          {isSet && data !== undefined && (
            <div class={exact.state === "ready" ? "" : "stale"}>
              <CorrectionCharts data={data} setting={setting} {...view} />
            </div>
          )}
        </>
      )}
    </section>
  );
}

const NO_SETTING = {
  level: undefined,
  method: undefined,
  cap: undefined,
  low: undefined,
  high: undefined,
  veto: undefined,
};
