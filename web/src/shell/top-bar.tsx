import { formatCounted } from "../../../src/render/text/display/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/index.ts";
import { alerts } from "../state/loaded.ts";
import { makeHref } from "../state/url.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { nextTheme, setTheme, theme } from "../ui/theme.ts";
import { MOD } from "./key-parts.ts";
import { failure, isLive, news, progress, setLive, showNews, soFar, status, writing } from "./news.ts";
import { describeAlerts, describeFiles, describeReading, listFacts } from "./run-texts.ts";

const THEME_SIGNS = { auto: "◐", light: "☀", dark: "☾" } as const;

export type DialogName = "findings" | "keys" | "palette";

/** How many alerts were raised; they are listed on the overview. */
function Alerts() {
  const loaded = alerts().value;
  if (loaded.state !== "ready" || loaded.value.alerts.length === 0) return null;
  return (
    <a class="pill alert" href={makeHref({ view: "overview", token: undefined })}>
      {describeAlerts(loaded.value.alerts)}
    </a>
  );
}

/** The run in one line, with the controls that every view has. */
export function TopBar({
  info,
  onOpen,
}: {
  readonly info: RunInfo | StudyInfo;
  readonly onOpen: (dialog: DialogName) => void;
}) {
  const serious = info.findings.filter(({ severity }) => severity !== "info").length;
  const waiting = news.value;
  return (
    <div class="top-bar">
      <p class="run">{printable(info.name)}</p>
      <p class="facts">{listFacts(info).join(" · ")}</p>
      <div class="tools">
        {/* Outside of what is read aloud: it changes all the time. */}
        {status.value === "preparing" && (
          <span class={failure.value === "" ? "pill" : "pill alert"} title={printable(failure.value)}>
            {failure.value === "" ? describeReading(progress.value) : "reading failed: this is what was read"}
          </span>
        )}
        <span role="status" class="news">
          {status.value === "reading" && (
            <span class="pill" title={writing.value.map(printable).join("\n")}>
              {writing.value.length === 0
                ? "waiting for new steps"
                : `still being written: ${describeFiles(writing.value)}`}
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
          class={serious > 0 ? "serious" : ""}
          aria-haspopup="dialog"
          onClick={() => onOpen("findings")}
        >
          {info.findings.length === 0 ? "no findings" : formatCounted(info.findings.length, "finding")}
        </button>
        <CopyButton label="Copy link" text={() => location.href} />
        <button type="button" aria-haspopup="dialog" onClick={() => onOpen("palette")}>
          Go to <kbd>{MOD} K</kbd>
        </button>
        <button
          type="button"
          class="sign"
          aria-label={`Colors: ${theme.value}`}
          title={`colors: ${theme.value}`}
          onClick={() => setTheme(nextTheme(theme.value))}
        >
          {THEME_SIGNS[theme.value]}
        </button>
        <button
          type="button"
          class="sign"
          aria-haspopup="dialog"
          aria-label="Keys"
          title="keys"
          onClick={() => onOpen("keys")}
        >
          ?
        </button>
      </div>
    </div>
  );
}
