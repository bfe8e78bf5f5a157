import { formatNumber, formatPlain, formatSigned } from "../../../../src/render/text/display/index.ts";
import { RUN_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { formatSequenceHandle } from "../../state/handles.ts";
import { useKeys } from "../../state/keys.ts";
import { makeHref, navigate } from "../../state/url.ts";
import { SampleText } from "./sample-text.tsx";

/** The text of a row beside its list; `peek=` of the address names the row. */
export function Peek({
  info,
  table,
  row,
}: {
  readonly info: RunInfo;
  readonly table: SequenceTable;
  readonly row: number;
}) {
  const close = (): void => navigate({ params: { peek: undefined } }, { replace: true });
  useKeys({ Escape: { describe: "close the text beside the list", run: close } });
  const { correct, reward, advantage, delta_abs_max } = table.columns;
  const facts = [
    ["reward", reward[row]!, formatPlain],
    ["advantage", advantage[row]!, formatSigned],
    [RUN_METRICS.delta_abs_max.label, delta_abs_max[row]!, formatNumber],
  ] as const;
  return (
    <aside class="peek" aria-label="Text of the current row">
      <header>
        <h2>
          <a href={makeHref({ view: "sequence", sequence: row, token: undefined })}>
            {formatSequenceHandle(table, row)}
          </a>
        </h2>
        {correct[row] === 1 && <span class="is-right">✓ right</span>}
        {correct[row] === 0 && <span class="is-wrong">✗ wrong</span>}
        {facts
          .filter(([, value]) => !Number.isNaN(value))
          .map(([name, value, format]) => (
            <span key={name}>
              {name} {format(value)}
            </span>
          ))}
        <button type="button" class="quiet" aria-label="Close the text" onClick={close}>
          ✕
        </button>
      </header>
      <SampleText info={info} sequence={row} prompt />
    </aside>
  );
}
