import { useEffect } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import type { WaitingInfo } from "../../../src/results/index.ts";
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
          <p class="muted">It appears here as soon as it is ready; no need to reload the page.</p>
        </>
      )}
    </main>
  );
}
