/**
 * News from the server: steps that were written since the page was loaded. Nothing on the page moves until someone asks
 * for them, once or for good (`live=1`).
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ReadProgress, RunInfo, SoFar, ViewInfo } from "../../../src/results/index.ts";
import { client } from "../api/client.ts";
import { formatSequenceHandle, moveToHandle } from "../state/handles.ts";
import { alerts, reload, run, table } from "../state/loaded.ts";
import { navigate, param, route } from "../state/url.ts";
import { describeNews } from "./run-texts.ts";

/** Between looks where the server's events do not come through. */
const LOOK_MS = 3000;

/** Of a run: studies are not followed. */
const latest = signal<RunInfo | null>(null);
/** What the server pushed last of the verdict on all that there is, which the page may not show yet. */
const pushed = signal<SoFar | null>(null);
/** How far the first read has come, as the server pushed it last. */
export const progress = signal<ReadProgress | null>(null);
/** Why the first read ended before its end. */
export const failure = signal("");
const liveParam = param("live", "");

function shown(): ViewInfo | undefined {
  const loaded = run().value;
  return loaded.state === "ready" ? loaded.value : undefined;
}

/** What there is that the page does not show yet: `3 new steps`; empty when it shows everything. */
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

/** Files that are being written, as the server last said. */
export const writing: ReadonlySignal<readonly string[]> = computed(() => {
  const now = latest.value ?? shown();
  return (now?.kind === "view-run" && now.writing) || [];
});

export const isLive: ReadonlySignal<boolean> = computed(() => liveParam.value === "1");

export function setLive(live: boolean): void {
  navigate({ params: { live: live ? "1" : undefined } }, { replace: true });
  if (live && news.peek() !== "") void showNews();
}

/** Loads what is new. The sequence that is looked at stays, wherever it lies now. */
export async function showNews(): Promise<void> {
  const { view, sequence } = route.peek();
  const of = view === "sequence" && sequence !== undefined ? table().peek() : undefined;
  const handle = of?.state === "ready" ? formatSequenceHandle(of.value, sequence!) : undefined;
  // What the server cannot answer now it is asked at the next news; what is shown stays right for what it is.
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
    // There is nothing on the page that could move.
    if (now.kind !== "view-waiting" || now.reason !== page.reason) await showNews();
  } else if (now.kind === "view-run") {
    latest.value = now;
    // Whoever opened the page while the run was read waits for it.
    if (page.status === "preparing") await showNews();
    else if (isLive.peek() && news.peek() !== "") await showNews();
  }
}

/** Listens until the page goes; not while nobody can see it. */
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
    // A browser connects again by itself; what was sent meanwhile is lost.
    events.onopen = look;
    events.onerror = ({ target }) => {
      // Where something between here and the server lets no events through, it is asked.
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
