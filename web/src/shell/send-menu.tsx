import { shellCommand } from "../../../src/core/base/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/view.ts";
import { formatSteps, parseSteps } from "../state/step-range.ts";
import { makeHref, route } from "../state/url.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { fileName } from "../ui/export.ts";
import { Popover } from "../ui/popover.tsx";
import { sayWhereLinkOpens } from "./run-texts.ts";

/** Ways to share the run: the answer as a file, the page as a folder, the starred places, a link. */
export function SendMenu({ info }: { readonly info: RunInfo | StudyInfo }) {
  const isRun = info.kind === "view-run";
  const range = parseSteps(route.value.params.steps ?? "");
  // A bundle cannot compute sums of chosen steps.
  const steps = range !== null && info.bundled !== true ? `?steps=${formatSteps(range)}` : "";
  return (
    <Popover class="layer send" summary="Send…">
      <div>
        {isRun && (
          <p>
            <a href={`api/answer.html${steps}`} download={fileName(info.name, `answer${steps}`, "html")}>
              Save the answer
            </a>{" "}
            {steps && "of the chosen steps "}as one file, to open with a double click
          </p>
        )}
        {isRun && !info.bundled && (
          <p>
            <CopyButton
              label="Copy the command for a bundle"
              text={() =>
                shellCommand("view", info.input.paths, [...info.input.flags, "--bundle", "run.zip"])
              }
            />{" "}
            this page with all texts, which opens the same way
          </p>
        )}
        <p>
          <CopyButton label="Copy link" text={() => location.href} />{" "}
          {sayWhereLinkOpens(location, info.bundled === true)}
        </p>
        {isRun && (
          <p>
            <a href={makeHref({ view: "story", token: undefined })}>Story</a> of the starred places, to print
          </p>
        )}
      </div>
    </Popover>
  );
}
