import { useEffect, useState } from "preact/hooks";
import { formatCount, formatNumber } from "../../../../src/render/text/display/index.ts";
import { isMissing, plural, printable } from "../../../../src/render/text/index.ts";
import type { RunsEvent, ServedRun } from "../../../../src/results/serve.ts";
import type { RunsInfo } from "../../../../src/results/view.ts";
import { reload } from "../../state/loaded.ts";
import "./style.css";

/** Polling interval where the server's events do not get through. */
const LOOK_MS = 5000;

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Every run of `logratio serve`. */
export function RunsView({ info: { name, runs: listed } }: { readonly info: RunsInfo }) {
  const [pushed, change] = useState<readonly ServedRun[]>([]);
  useEffect(() => listen(change), []);
  const runs = [...pushed, ...listed.filter((run) => pushed.every(isOther(run)))];
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
              {["Run", "Now", "Mean |Δ|", "Last alert", "Steps", "Sequences", "Tokens", "Last batch"].map(
                (title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ),
              )}
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
  const { verdict, first_step, last_step, last_alert, last_write } = run;
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
      <td class="number">
        <Recent of={run.recent} />
      </td>
      <td>
        {last_alert === null ? (
          <span class="muted">–</span>
        ) : (
          <>
            {printable(last_alert.text)}
            <p class="muted">
              {last_alert.over ? "over" : "goes on"}
              {run.alerts > 1 && ` · ${plural(run.alerts, "alert")} in total`}
            </p>
          </>
        )}
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

const WIDTH = 90;
const HEIGHT = 20;

/** The last value, and the recent ones as a line from 0. */
function Recent({ of: values }: { readonly of: ServedRun["recent"] }) {
  const known = values.filter((value): value is number => !isMissing(value));
  const most = Math.max(...known);
  if (known.length === 0) return <>–</>;
  const points = known.map(
    (value, at) =>
      `${(WIDTH * at) / Math.max(1, known.length - 1)},${HEIGHT - 1 - (HEIGHT - 2) * (value / (most || 1))}`,
  );
  return (
    <>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true">
        <polyline points={points.join(" ")} />
      </svg>{" "}
      {formatNumber(known.at(-1)!)}
    </>
  );
}

function isOther({ folder }: ServedRun): (run: ServedRun) => boolean {
  return (run) => run.folder !== folder;
}

/**
 * Changes arrive as events. The whole list is requested when a run was removed and after a gap; it replaces whatever
 * was pushed before the request.
 */
function listen(change: (next: (pushed: readonly ServedRun[]) => ServedRun[]) => void): () => void {
  const look = (): void => {
    const since: ServedRun[] = [];
    pending.add(since);
    const settle = (isNewer: boolean): void => {
      pending.delete(since);
      if (isNewer) change(() => since);
    };
    void reload().then(
      () => settle(true),
      () => settle(false),
    );
  };
  const pending = new Set<ServedRun[]>();
  const addTo = (runs: readonly ServedRun[], run: ServedRun): ServedRun[] => [
    run,
    ...runs.filter(isOther(run)),
  ];
  const events = new EventSource("api/events");
  let timer: ReturnType<typeof setInterval> | undefined;
  events.addEventListener("run", ({ data }: MessageEvent<string>) => {
    const { run } = JSON.parse(data) as RunsEvent;
    if (run === null) look();
    else {
      change((pushed) => addTo(pushed, run));
      for (const since of pending) since.splice(0, since.length, ...addTo(since, run));
    }
  });
  // The browser reconnects by itself, but loses what was sent in between.
  events.onopen = look;
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) timer ??= setInterval(look, LOOK_MS);
  };
  return () => {
    events.close();
    clearInterval(timer);
  };
}
