/**
 * News from the server: steps that were written since the page was loaded. Nothing on the page moves until someone asks
 * for them.
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { RunInfo, ViewInfo } from "../../../src/protocol/view.ts";
import { client } from "../api/client.ts";
import { reload, run } from "../state/loaded.ts";
import { describeNews } from "./run-texts.ts";

/** Of a run: studies are not followed. */
const latest = signal<RunInfo | null>(null);

/** What there is that the page does not show yet: `3 new steps`; empty when it shows everything. */
export const news: ReadonlySignal<string> = computed(() => {
  const shown = run().value;
  const now = latest.value;
  if (shown.state !== "ready" || shown.value.kind !== "view-run" || now === null) return "";
  return describeNews(shown.value, now);
});

/** The state of reading as the server last said it. */
export const status: ReadonlySignal<ViewInfo["status"]> = computed(() => {
  const shown = run().value;
  return latest.value?.status ?? (shown.state === "ready" ? shown.value.status : "ready");
});

export function showNews(): void {
  reload();
}

/** Listens until the page goes; a server without events (a folder of files) is left alone. */
export function listen(): () => void {
  const events = new EventSource("api/events");
  events.addEventListener("run", () => {
    client.run().then(
      (now) => {
        if (now.kind === "view-run") latest.value = now;
      },
      // The next event asks again; what is shown stays right for what it is.
      () => undefined,
    );
  });
  return () => events.close();
}
