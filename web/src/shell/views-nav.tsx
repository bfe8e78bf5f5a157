import { formatCounted } from "../../../src/render/text/display/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/view.ts";
import { makeHref, route, type ViewName } from "../state/url.ts";
import { Popover } from "../ui/popover.tsx";
import { StepsChip } from "../ui/steps-chip.tsx";
import { nextTheme, setTheme, theme } from "../ui/theme.ts";
import type { DialogName } from "./top-bar.tsx";

export interface ShellView {
  readonly name: ViewName;
  readonly title?: string;
  /** The key after `g`; default: the first letter of the title. */
  readonly key?: string;
  readonly under?: "sequences" | "more";
}

/** Views that are reached from others; they are in the list of views only while they are shown. */
export const UNTITLED: Readonly<Partial<Record<ViewName, string>>> = {
  sequence: "Sequence",
  group: "Group",
};

interface NavProps {
  readonly info: RunInfo | StudyInfo;
  readonly current: ViewName;
  readonly views: readonly ShellView[];
  readonly onOpen: (dialog: DialogName) => void;
}

/** The tabs. Views of a single answer have one, beside their list, only while shown; further views are in a menu. */
export function ViewsNav({ info, current, views, onOpen }: NavProps) {
  const family = views.find(({ name }) => name === current)?.under;
  const isShown = ({ name, title, under }: ShellView): boolean =>
    under === undefined ||
    (under === "sequences" &&
      (title === undefined ? name === current : family === under || current === under));
  return (
    <nav aria-label="Views">
      <div class="tabs">
        {views.filter(isShown).map((view) => (
          <ViewLink key={view.name} view={view} current={current} />
        ))}
      </div>
      <More {...{ info, current, onOpen }} views={views.filter(({ under }) => under === "more")} />
      {info.kind === "view-run" && <StepsChip info={info} route={route.value} />}
    </nav>
  );
}

function ViewLink({
  view: { name, title },
  current,
}: {
  readonly view: ShellView;
  readonly current: ViewName;
}) {
  return (
    <a
      href={title === undefined ? location.hash : makeHref({ view: name, token: undefined })}
      aria-current={name === current ? "page" : undefined}
    >
      {title ?? UNTITLED[name]}
    </a>
  );
}

/** Further views, what reading noticed, colors, keys. */
function More({ info: { findings }, current, views, onOpen }: NavProps) {
  const serious = findings.some(({ severity }) => severity !== "info");
  const shown = views.find(({ name }) => name === current)?.title;
  return (
    // Another view closes it.
    <Popover
      key={current}
      class={`layer${shown === undefined ? "" : " current"}${serious ? " serious" : ""}`}
      summary={`${shown ?? "More"} ▾`}
    >
      <div>
        {views.map((view) => (
          <ViewLink key={view.name} view={view} current={current} />
        ))}
        <button
          type="button"
          class={serious ? "serious" : ""}
          aria-haspopup="dialog"
          onClick={() => onOpen("findings")}
        >
          {findings.length === 0 ? "no findings" : formatCounted(findings.length, "finding")} of reading
        </button>
        <button type="button" onClick={() => setTheme(nextTheme(theme.value))}>
          Colors: {theme.value}
        </button>
        <button type="button" aria-haspopup="dialog" onClick={() => onOpen("keys")}>
          Keys
        </button>
      </div>
    </Popover>
  );
}
