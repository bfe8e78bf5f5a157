import { useEffect, useState } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import type { ServedRun } from "../../../src/results/serve.ts";
import type { WaitingInfo } from "../../../src/results/view.ts";
import { client } from "../api/client.ts";
import { failure, listen, progress } from "./news.ts";
import { describeReading } from "./run-texts.ts";
import "./style.css";

/** Shown before the first step of a followed run. */
export function Waiting({ info: { name, paths, reason } }: { readonly info: WaitingInfo }) {
  useEffect(listen, []);
  useEffect(() => {
    document.title = `waiting · ${printable(name)} · logratio`;
  }, [name]);
  return (
    <main id="main" class="waiting">
      <h1>
        {reason === null ? "Reading" : "Waiting for the first step in"}{" "}
        <code>{paths.map(printable).join(", ")}</code>
      </h1>
      {failure.value !== "" ? (
        <p role="alert">Reading failed: {printable(failure.value)}</p>
      ) : (
        <>
          <p role={reason === null ? undefined : "status"}>
            {reason === null ? describeReading(progress.value) : printable(reason)}
          </p>
          {progress.value !== null && progress.value.bytes_total > 0 && (
            <progress aria-label="Read" max={progress.value.bytes_total} value={progress.value.bytes_read} />
          )}
          <Listed />
          <p class="muted">It appears here as soon as it is ready; no need to reload the page.</p>
        </>
      )}
    </main>
  );
}

/** For a run of `logratio serve`: what the list of runs says meanwhile. */
function Listed() {
  const [run, find] = useState<ServedRun>();
  useEffect(() => {
    const folder = /\/runs\/([^/]+)\/$/.exec(location.pathname)?.[1];
    if (folder === undefined) return;
    void client.listed().then(
      ({ runs }) => find(runs.find((each) => each.folder === folder)),
      // The run is being read even if its list cannot be loaded.
      () => {},
    );
  }, []);
  if (!run?.verdict) return null;
  const { level, headline } = run.verdict;
  return (
    <p>
      The list of runs: <b>{level.replace("_", " ")}</b> {printable(headline)}
    </p>
  );
}
