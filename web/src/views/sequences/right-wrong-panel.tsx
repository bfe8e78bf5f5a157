import { useEffect, useMemo, useState } from "preact/hooks";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { rightWrong } from "../../state/right-wrong.ts";
import { RightWrongFigures } from "../../ui/right-wrong-figures.tsx";

const SETTLES_MS = 150;

/** Right answers compared with wrong ones, among the sequences that match the filter. */
export function RightWrongPanel({
  table,
  rows,
}: {
  readonly table: SequenceTable;
  readonly rows: Uint32Array;
}) {
  // While the reader types, the table is updated first.
  const [settled, settle] = useState(rows);
  useEffect(() => {
    const timer = setTimeout(() => settle(rows), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [rows]);
  const compared = useMemo(() => rightWrong(table, settled), [table, settled]);
  return (
    <section class="right-wrong" aria-labelledby="right-wrong-title">
      <h2 id="right-wrong-title">Right against wrong</h2>
      <RightWrongFigures {...compared} />
    </section>
  );
}
