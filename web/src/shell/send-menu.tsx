import { shellCommand } from "../../../src/core/base/index.ts";
import type { RunInfo, StudyInfo } from "../../../src/results/index.ts";
import { makeHref } from "../state/url.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Popover } from "../ui/popover.tsx";

/** How somebody else gets to see it: a file of the report, a folder of the page, the starred places, a link. */
export function SendMenu({ info }: { readonly info: RunInfo | StudyInfo }) {
  const input = info.kind === "view-run" && !info.bundled ? info.input : undefined;
  return (
    <Popover class="layer send" summary="Send…">
      <div>
        {input !== undefined && (
          <>
            <p>
              <CopyButton
                label="Copy the command for one file"
                text={() => shellCommand("report", input.paths, [...input.flags, "--html", "report.html"])}
              />{" "}
              the report, to open with a double click
            </p>
            <p>
              <CopyButton
                label="Copy the command for a bundle"
                text={() => shellCommand("view", input.paths, [...input.flags, "--bundle", "run.zip"])}
              />{" "}
              this page with all texts, for any web server
            </p>
          </>
        )}
        <p>
          <CopyButton label="Copy link" text={() => location.href} /> opens where this address can be reached
        </p>
        {info.kind === "view-run" && (
          <p>
            <a href={makeHref({ view: "story", token: undefined })}>Story</a> of the starred places, to print
          </p>
        )}
      </div>
    </Popover>
  );
}
