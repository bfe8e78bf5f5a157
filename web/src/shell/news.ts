/**
 * News from the server: steps written since the page was loaded. Nothing on the page changes until the reader asks for
 * them, once or for good (`live=1`).
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ReadProgress, RunInfo, SoFar, ViewInfo } from "../../../src/results/view.ts";
import { client } from "../api/client.ts";
import { formatSequenceHandle, moveToHandle } from "../state/handles.ts";
import { alerts, reload, run, table } from "../state/loaded.ts";
import { navigate, param, route } from "../state/url.ts";
import { describeNews } from "./run-texts.ts";

/** Polling interval where the server's events do not get through. */
const LOOK_MS = 3000;

/** The run as the server last described it; studies are not followed. */
const latest = signal<RunInfo | null>(null);
/** The last pushed verdict on everything read so far, which the page may not show yet. */
const pushed = signal<SoFar | null>(null);
/** Progress of the first read, as last pushed. */
export const progress = signal<ReadProgress | null>(null);
/** Why the first read failed. */
export const failure = signal("");
const liveParam = param("live", "");

function shown(): ViewInfo | undefined {
  const loaded = run().value;
  return loaded.state === "ready" ? loaded.value : undefined;
}

/** What the page does not show yet: `3 new steps`; empty when it shows everything. */
export const news: ReadonlySignal<string> = computed(() => {
  const [page, now] = [shown(), latest.value];
  return page?.kind === "view-run" && now !== null ? describeNews(page, now) : "";
});

/** The state of reading as the server last said it. */
export const status: ReadonlySignal<ViewInfo["status"]> = computed(
  () => latest.value?.status ?? shown()?.status ?? "ready",
);

/** The verdict so far, while the run grows. */
export const soFar: ReadonlySignal<SoFar | null> = pushed;

/** Files that are being written, as last pushed. */
export const writing: ReadonlySignal<readonly string[]> = computed(() => {
  const now = latest.value ?? shown();
  return (now?.kind === "view-run" && now.writing) || [];
});

export const isLive: ReadonlySignal<boolean> = computed(() => liveParam.value === "1");

export function setLive(live: boolean): void {
  navigate({ params: { live: live ? "1" : undefined } }, { replace: true });
  if (live && news.peek() !== "") void showNews();
}

/** Loads what is new. The page keeps showing the same sequence, even if its place has changed. */
export async function showNews(): Promise<void> {
  const { view, sequence } = route.peek();
  const of = view === "sequence" && sequence !== undefined ? table().peek() : undefined;
  const handle = of?.state === "ready" ? formatSequenceHandle(of.value, sequence!) : undefined;
  // What fails now is asked again at the next news; what is shown stays valid for its version.
  await reload().catch(() => undefined);
  const after = table().peek();
  if (handle === undefined || after.state !== "ready" || route.peek().sequence !== sequence) return;
  const move = moveToHandle(after.value, handle);
  if (move !== undefined && move.sequence !== sequence)
    navigate({ sequence: move.sequence }, { replace: true });
}

async function look(): Promise<void> {
  const now = await client.latest().catch(() => undefined);
  const page = shown();
  if (now === undefined || page === undefined) return;
  if (page.kind === "view-waiting") {
    // Nothing is shown yet, so nothing can move.
    if (now.kind !== "view-waiting" || now.reason !== page.reason) await showNews();
  } else if (now.kind === "view-run") {
    latest.value = now;
    // A page opened while the run was being read waits for it.
    if (page.status === "preparing") await showNews();
    else if (isLive.peek() && news.peek() !== "") await showNews();
  }
}

/** Listens until the page is closed, and pauses while its tab is hidden. */
export function listen(): () => void {
  let events: EventSource | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    events?.close();
    clearInterval(timer);
    timer = undefined;
  };
  const start = (): void => {
    stop();
    if (document.hidden) return;
    events = new EventSource("api/events");
    events.addEventListener("run", look);
    events.addEventListener("verdict", ({ data }: MessageEvent<string>) => {
      pushed.value = JSON.parse(data) as SoFar;
    });
    events.addEventListener("progress", ({ data }: MessageEvent<string>) => {
      progress.value = JSON.parse(data) as ReadProgress;
    });
    events.addEventListener("failed", ({ data }: MessageEvent<string>) => {
      failure.value = JSON.parse(data) as string;
    });
    events.addEventListener("alerts", () => void alerts.again());
    // The browser reconnects by itself, but loses what was sent in between.
    events.onopen = look;
    events.onerror = ({ target }) => {
      // A proxy may block events: then the server is polled.
      if (target === events && events?.readyState === EventSource.CLOSED)
        timer ??= setInterval(look, LOOK_MS);
    };
  };
  document.addEventListener("visibilitychange", start);
  start();
  return () => {
    document.removeEventListener("visibilitychange", start);
    stop();
  };
}
