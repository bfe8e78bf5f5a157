import { useEffect } from "preact/hooks";
import { printable } from "../../../src/render/text/index.ts";
import type { WaitingInfo } from "../../../src/results/index.ts";
import { listen } from "./news.ts";
import "./style.css";

/** Before the first step of a run that is followed. */
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
      <p role="status">{reason === null ? "The run is being read." : printable(reason)}</p>
      <p class="muted">It is shown here as soon as it can be: there is no need to load the page again.</p>
    </main>
  );
}
