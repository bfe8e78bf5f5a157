import type { ComponentChildren } from "preact";
import { printable } from "../../../src/render/text/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/view.ts";
import { alerts } from "../state/loaded.ts";
import { makeHref } from "../state/url.ts";
import { MOD } from "./key-parts.ts";
import { failure, isLive, news, progress, setLive, showNews, soFar, status, writing } from "./news.ts";
import { describeAlerts, describeFiles, describeReading, furtherFacts, listFacts } from "./run-texts.ts";
import { SendMenu } from "./send-menu.tsx";

export type DialogName = "findings" | "keys" | "palette";

/** How many alerts were raised; they are listed under Steps. */
function Alerts() {
  const loaded = alerts().value;
  if (loaded.state !== "ready" || loaded.value.alerts.length === 0) return null;
  return (
    <a class="pill alert" href={makeHref({ view: "steps", token: undefined })}>
      {describeAlerts(loaded.value.alerts)}
    </a>
  );
}

/** The run in one line, with the controls that every view has. */
export function TopBar({
  info,
  onOpen,
  children,
}: {
  readonly info: RunInfo | StudyInfo;
  /** The list of views. */
  readonly children: ComponentChildren;
  readonly onOpen: (dialog: DialogName) => void;
}) {
  const waiting = news.value;
  return (
    <div class="top-bar">
      <p class="run">{printable(info.name)}</p>
      <p class="facts" title={info.kind === "view-run" ? furtherFacts(info).join(" · ") : undefined}>
        {listFacts(info).flatMap((fact, at) => [
          " ",
          <span key={at}>
            {at > 0 && "· "}
            {fact}
          </span>,
        ])}
      </p>
      {children}
      <div class="tools">
        {/* Outside the live region: it changes all the time. */}
        {status.value === "preparing" && (
          <span class={failure.value === "" ? "pill" : "pill alert"} title={printable(failure.value)}>
            {failure.value === "" ? describeReading(progress.value) : "reading failed: this is what was read"}
          </span>
        )}
        <span role="status" class="news">
          {status.value === "reading" && (
            <span class="pill" title={writing.value.map(printable).join("\n") || "waiting for new steps"}>
              {writing.value.length === 0 ? "live" : `writing ${describeFiles(writing.value)}`}
            </span>
          )}
          {status.value !== "ready" && soFar.value !== null && (
            <span class="pill" title={printable(soFar.value.headline)}>
              so far: <b>{soFar.value.level.replace("_", " ")}</b>
            </span>
          )}
          {info.kind === "view-run" && <Alerts />}
          {waiting !== "" && (
            <button type="button" class="pill new" onClick={() => void showNews()}>
              {waiting} · show
            </button>
          )}
        </span>
        {status.value === "reading" && (
          <button
            type="button"
            aria-pressed={isLive.value}
            title="show new steps as they arrive"
            onClick={() => setLive(!isLive.value)}
          >
            Follow
          </button>
        )}
        <button
          type="button"
          aria-haspopup="dialog"
          aria-label={`Go to ${MOD} K`}
          onClick={() => onOpen("palette")}
        >
          <kbd>{MOD} K</kbd>
          <span class="phone">Go to</span>
        </button>
        <SendMenu info={info} />
      </div>
    </div>
  );
}
