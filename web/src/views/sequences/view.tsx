import { useMemo } from "preact/hooks";
import { parseFilter } from "../../../../src/analyses/filter/index.ts";
import { formatCount, formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../../src/results/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { table } from "../../state/loaded.ts";
import { useMatches } from "../../state/matches.ts";
import { parseSort } from "../../state/sequence-order.ts";
import { navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import type { Row } from "../../ui/export.ts";
import { FilterBox } from "../../ui/filter-box.tsx";
import { TakeAway } from "../../ui/virtual-table/take-away.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { ColumnChooser } from "./column-chooser.tsx";
import { COLUMNS, type SequencesColumn } from "./columns.ts";
import { exportGroups, GroupRows } from "./group-rows.tsx";
import { matchColumn } from "./match-column.tsx";
import { RightWrongPanel } from "./right-wrong-panel.tsx";
import { chooseColumns, readLayout, selectSequences } from "./selection.ts";
import { SequenceRows } from "./sequence-rows.tsx";
import "./style.css";
import { TurnMatrix } from "./turn-matrix.tsx";

/** Every sequence of the run: filtered, sorted, in groups, or by turns. */
export function SequencesView({ info }: ViewProps) {
  return <WhenLoaded of={table()}>{(sequences) => <Sequences info={info} table={sequences} />}</WhenLoaded>;
}

function Sequences({ info, table }: { readonly info: RunInfo; readonly table: SequenceTable }) {
  const { params } = route.value;
  const { filter, steps, sort } = params;
  const parsed = useMemo(() => parseFilter(filter ?? ""), [filter]);
  const { found, busy, refusal } = useMatches(parsed, info);
  const matches = useMemo(() => found && matchColumn(found), [found]);
  const selection = useMemo(
    () => selectSequences(table, params, parsed, found),
    [table, parsed, steps, sort, found],
  );
  const { rows, tokens } = selection;
  const columns = withMatches(chooseColumns(table, params), matches);
  const layout = info.has.groups || params.layout !== "groups" ? readLayout(params) : "rows";
  return (
    <div class="sequences-view">
      <h1 class="visually-hidden">Sequences</h1>
      <div class="controls">
        <FilterBox filter={parsed} what="sequences">
          {refusal !== undefined && <p>{refusal}</p>}
        </FilterBox>
        <Choice
          label="Layout"
          name="layout"
          value={layout}
          options={[
            { name: "rows", title: "Rows" },
            ...(info.has.groups
              ? [
                  {
                    name: "groups" as const,
                    title: "Groups",
                    hint: "GRPO groups: the sequences of one prompt",
                  },
                ]
              : []),
            { name: "matrix", title: "Turns", hint: "sequences by turns" },
          ]}
          onChange={(next) => navigate({ params: { layout: next === "rows" ? undefined : next } })}
        />
        {layout === "rows" && <ColumnChooser shown={columns} />}
        <TakeAway
          what={layout === "groups" ? "groups" : "sequences"}
          rows={() =>
            layout === "groups"
              ? exportGroups(table, rows, params["group-sort"])
              : exportRows(table, rows, matches)
          }
        />
        <p class="counts" role="status">
          <strong>{formatCount(rows.length)}</strong> of {formatCounted(table.length, "sequence")} ·{" "}
          {formatCounted(tokens, "token")}
          {busy ? (
            <span class="loading"> · looking through the tokens …</span>
          ) : (
            matches && ` · ${formatCount(addColumn(table, rows, matches))} match`
          )}
        </p>
      </div>
      <div class={info.has.correctness ? "body with-panel" : "body"}>
        <div class="list" aria-busy={busy}>
          {rows.length === 0 ? (
            <Nothing />
          ) : layout === "groups" ? (
            <GroupRows table={table} rows={rows} />
          ) : layout === "matrix" ? (
            <TurnMatrix table={table} rows={rows} turns={info.turns_max} domain={info.scales.delta} />
          ) : (
            <SequenceRows table={table} rows={rows} columns={columns} sort={parseSort(params)} />
          )}
        </div>
        {info.has.correctness && (
          <aside>
            <RightWrongPanel table={table} rows={rows} />
          </aside>
        )}
      </div>
    </div>
  );
}

function Nothing() {
  return (
    <p class="nothing" role="status">
      No matching sequences.{" "}
      <button
        type="button"
        onClick={() => navigate({ params: { filter: undefined, steps: undefined } }, { replace: true })}
      >
        Show all
      </button>
    </p>
  );
}

function addColumn(table: SequenceTable, rows: Uint32Array, { value }: SequencesColumn): number {
  return rows.reduce((sum, row) => sum + Number(value(table, row)), 0);
}

/** Behind the handle. */
function withMatches(
  [handle, ...others]: readonly SequencesColumn[],
  matches: SequencesColumn | undefined,
): readonly SequencesColumn[] {
  return [handle!, ...(matches ? [matches] : []), ...others];
}

/** With every column, shown or not. */
function exportRows(table: SequenceTable, rows: Uint32Array, matches?: SequencesColumn): Row[] {
  return Array.from(rows, (row) =>
    Object.fromEntries(
      withMatches(COLUMNS, matches).map(({ key, value }) => [key, value(table, row) ?? null]),
    ),
  );
}
