import { useEffect } from "preact/hooks";
import { formatCount } from "../../../../src/render/text/display/index.ts";
import { plural, printable } from "../../../../src/render/text/index.ts";
import type { RunsInfo, ServedRun } from "../../../../src/results/index.ts";
import { reload } from "../../state/loaded.ts";
import "./style.css";

/** Between looks where the server's events do not come through. */
const LOOK_MS = 5000;

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Every run of `logratio serve`. */
export function RunsView({ info: { name, runs } }: { readonly info: RunsInfo }) {
  useEffect(listen, []);
  useEffect(() => {
    document.title = `${printable(name)} · logratio`;
  }, [name]);
  return (
    <main id="main" class="runs">
      <h1>
        {printable(name)} <span class="muted">{plural(runs.length, "run")}</span>
      </h1>
      {runs.length === 0 ? (
        <p class="muted">
          There are no runs yet. In a training loop:{" "}
          <code>logratio.init(url="{location.origin}", name="my-run")</code>
        </p>
      ) : (
        <table>
          <thead>
            <tr>
              {["Run", "Verdict so far", "Steps", "Sequences", "Tokens", "Last batch"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <RunRow key={run.folder} run={run} />
            ))}
          </tbody>
        </table>
      )}
    </main>
  );
}

function RunRow({ run }: { readonly run: ServedRun }) {
  const { verdict, first_step, last_step, last_write } = run;
  return (
    <tr>
      <th scope="row">
        <a href={`runs/${run.folder}/`}>{printable(run.name)}</a>
        {run.refused > 0 && <p class="muted">{plural(run.refused, "batch", "batches")} could not be read</p>}
      </th>
      <td>
        {verdict === null ? (
          <span class="muted">{run.sequences === 0 ? "nothing read yet" : "one policy only"}</span>
        ) : (
          <>
            <span class={`level ${verdict.level}`}>{verdict.level.replace("_", " ")}</span>{" "}
            {printable(verdict.headline)}
          </>
        )}
        {run.alarms > 0 && <p>{plural(run.alarms, "alarm")}: the run has changed since it began</p>}
      </td>
      <td class="number">{first_step === null ? "–" : `${first_step}–${last_step}`}</td>
      <td class="number">{formatCount(run.sequences)}</td>
      <td class="number">{formatCount(run.tokens)}</td>
      <td>
        {last_write === null ? "–" : TIME.format(new Date(last_write))}
        {run.writing && <span class="muted"> · being written</span>}
      </td>
    </tr>
  );
}

function listen(): () => void {
  const look = (): void => void reload().catch(() => undefined);
  const events = new EventSource("api/events");
  let timer: ReturnType<typeof setInterval> | undefined;
  events.addEventListener("run", look);
  // A browser connects again by itself; what was sent meanwhile is lost.
  events.onopen = look;
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) timer ??= setInterval(look, LOOK_MS);
  };
  return () => {
    events.close();
    clearInterval(timer);
  };
}
