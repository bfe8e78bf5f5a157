import { formatPlace } from "../../../src/core/base/index.ts";
import type { Finding, Severity } from "../../../src/core/schema/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import { Dialog } from "../ui/dialog.tsx";
import type { Row } from "../ui/export.ts";
import { ExportMenu } from "../ui/export-menu.tsx";

/** The most serious first. */
const ORDER: readonly Severity[] = ["skipped", "warning", "info"];

/** All findings of reading: what, where, the likely cause, what to try. */
export function FindingsDialog({
  findings,
  onClose,
}: {
  readonly findings: readonly Finding[];
  readonly onClose: () => void;
}) {
  const sorted = findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return (
    <Dialog label="Findings" onClose={onClose} class="dialog-findings">
      <header>
        <h2>Findings</h2>
        <ExportMenu name="findings" rows={() => sorted.map(exportRow)} />
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {sorted.length === 0 && <p>Nothing was left out, repaired or guessed while reading.</p>}
      <ul>
        {sorted.map((finding) => {
          const place = formatPlace(finding.at);
          return (
            <li key={`${finding.code} ${finding.message} ${place}`}>
              <span class={`severity ${finding.severity}`}>{finding.severity}</span>
              <div>
                <p>{printable(finding.message)}</p>
                {place !== "" && <p class="muted">{printable(place)}</p>}
                {finding.likely !== undefined && <p>Likely: {printable(finding.likely)}</p>}
                {finding.hint !== undefined && <p>Try: {printable(finding.hint)}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

/** Without the fields of a finding that only other analyses use. */
function exportRow({ at, omits, sides: _, ...finding }: Finding): Row {
  return { ...finding, at: formatPlace(at), ...(omits && { left_out: omits.unit, why: omits.why }) };
}
