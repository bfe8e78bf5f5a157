import type { MismatchReport } from "../../../../src/protocol/report.ts";
import { worstSequenceTable } from "../../../../src/report/content/sequence-tables.ts";
import { worstTokenTable } from "../../../../src/report/content/token-tables.ts";
import { hrefOf } from "../../state/url.ts";
import { flatRows } from "../../ui/export.ts";
import { HandleLink } from "../../ui/place-link.tsx";
import { ReportTable } from "../../ui/report-table.tsx";

/** The sequences and tokens that are furthest off, one click from their text. */
export function Worst({ report }: { readonly report: MismatchReport }) {
  const sequences = worstSequenceTable(report);
  const tokens = worstTokenTable(report);
  return (
    <section class="worst" aria-label="The worst">
      <h2>The worst</h2>
      <div class="parts">
        {sequences.rows > 0 && (
          <div class="part">
            <ReportTable
              table={sequences}
              rows={() => flatRows(report.worst_sequences)}
              link={(_, handle) => <HandleLink handle={handle} />}
            />
          </div>
        )}
        {tokens.rows > 0 && (
          <div class="part">
            <ReportTable
              table={tokens}
              priority={2}
              rows={() => flatRows(report.worst_tokens)}
              link={(_, handle) => <HandleLink handle={handle} />}
            />
            <p class="note">
              <a href={hrefOf({ view: "tokens", token: undefined })}>with their texts, classes and turns</a>
            </p>
          </div>
        )}
      </div>
    </section>
  );
}
