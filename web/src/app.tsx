import { useEffect } from "preact/hooks";
import type { RunInfo, StudyInfo } from "../../src/results/view.ts";
import { ROUTES, STUDY_ROUTES } from "./routes.tsx";
import { DropArea } from "./shell/drop.tsx";
import { Shell } from "./shell/shell.tsx";
import { Waiting } from "./shell/waiting.tsx";
import { run } from "./state/loaded.ts";
import { navigate, route } from "./state/url.ts";
import { WhenLoaded } from "./ui/when-loaded.tsx";
import { RunsView } from "./views/runs/view.tsx";

/** The frame around every view: those of a run, those of a study, or the list of runs. */
export function App() {
  return (
    <WhenLoaded of={run()}>
      {(info) => (
        <>
          {info.kind === "view-study" ? (
            <StudyApp info={info} />
          ) : info.kind === "view-waiting" ? (
            <Waiting info={info} />
          ) : info.kind === "view-runs" ? (
            <RunsView info={info} />
          ) : (
            <RunApp info={info} />
          )}
          <DropArea info={info} />
        </>
      )}
    </WhenLoaded>
  );
}

function RunApp({ info }: { readonly info: RunInfo }) {
  const { view } = route.value;
  const current = ROUTES.find(({ name }) => name === view) ?? ROUTES[0]!;
  return (
    <Shell info={info} current={current.name} views={ROUTES.filter(({ when }) => when?.(info) ?? true)}>
      <current.View info={info} />
    </Shell>
  );
}

function StudyApp({ info }: { readonly info: StudyInfo }) {
  const { view } = route.value;
  const current = STUDY_ROUTES.find(({ name }) => name === view) ?? STUDY_ROUTES[0]!;
  // Copied links then name their view.
  useEffect(() => navigate({ view: current.name }, { replace: true }), [current.name, view]);
  return (
    <Shell info={info} current={current.name} views={STUDY_ROUTES}>
      <current.View info={info} />
    </Shell>
  );
}
