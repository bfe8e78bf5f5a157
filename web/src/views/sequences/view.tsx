import { useMemo } from "preact/hooks";
import { type Filter, fieldValues, parseFilter } from "../../../../src/analyses/filter/index.ts";
import { formatCount, formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { table } from "../../state/loaded.ts";
import { useMatches } from "../../state/matches.ts";
import { parseSort } from "../../state/sequence-order.ts";
import { navigate, route } from "../../state/url.ts";
import { Choice } from "../../ui/choice.tsx";
import type { Row } from "../../ui/export.ts";
import { FilterBox } from "../../ui/filter-box.tsx";
import { Peek } from "../../ui/peek/peek.tsx";
import { TakeAway } from "../../ui/virtual-table/take-away.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { ColumnChooser } from "./column-chooser.tsx";
import { COLUMNS, isBriefColumn, type SequencesColumn } from "./columns.ts";
import { exportGroups, GroupedBySelect, GroupRows } from "./group-rows.tsx";
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
  const columns = withMatches(chooseColumns(table, params, info.has.briefs, isNarrow()), matches);
  const layout = readLayout(params);
  const peek = readPeek(params, table);
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
            { name: "groups", title: "Groups", hint: "by prompt (GRPO), or by any column" },
            { name: "matrix", title: "Turns", hint: "sequences by turns" },
          ]}
          onChange={(next) => navigate({ params: { layout: next === "rows" ? undefined : next } })}
        />
        {layout === "rows" && <ColumnChooser shown={columns} hasBriefs={info.has.briefs} />}
        {layout === "groups" && <GroupedBySelect info={info} />}
        {layout !== "matrix" && rows.length > 0 && <PeekToggle peek={peek} first={rows[0]!} />}
        <TakeAway
          what={layout === "groups" ? "groups" : "sequences"}
          rows={() =>
            layout === "groups" ? exportGroups(info, table, rows, params) : exportRows(table, rows, matches)
          }
        />
        <p class="counts" role="status">
          <strong>{formatCount(rows.length)}</strong> of {formatCounted(table.length, "sequence")} ·{" "}
          {formatCounted(tokens, "token")}
          {busy ? (
            <span class="loading"> · searching the tokens …</span>
          ) : (
            matches && ` · ${formatCount(addColumn(table, rows, matches))} match`
          )}
        </p>
      </div>
      <div class={info.has.correctness || peek !== undefined ? "body with-panel" : "body"}>
        <div class="list" aria-busy={busy}>
          {rows.length === 0 ? (
            <Nothing filter={parsed} table={table} />
          ) : layout === "groups" ? (
            <GroupRows info={info} table={table} rows={rows} />
          ) : layout === "matrix" ? (
            <TurnMatrix info={info} table={table} rows={rows} turns={info.turns_max} />
          ) : (
            <SequenceRows info={info} table={table} rows={rows} columns={columns} sort={parseSort(params)} />
          )}
        </div>
        {peek !== undefined && layout !== "matrix" ? (
          <Peek info={info} table={table} row={peek} />
        ) : (
          info.has.correctness && (
            <aside>
              <RightWrongPanel table={table} rows={rows} />
            </aside>
          )
        )}
      </div>
    </div>
  );
}

/** Whether the screen is a phone's, with few columns in sight. */
function isNarrow(): boolean {
  return matchMedia("(max-width: 40rem)").matches;
}

/** A button that does what the Space key does. */
function PeekToggle({ peek, first }: { readonly peek: number | undefined; readonly first: number }) {
  return (
    <button
      type="button"
      aria-pressed={peek !== undefined}
      title="Space: the text of the current row"
      onClick={() =>
        navigate({ params: { peek: peek === undefined ? String(first) : undefined } }, { replace: true })
      }
    >
      Text beside
    </button>
  );
}

/** The row whose text is beside the list. */
function readPeek({ peek }: Readonly<Record<string, string>>, { length }: SequenceTable): number | undefined {
  const row = /^\d+$/.test(peek ?? "") ? Number(peek) : length;
  return row < length ? row : undefined;
}

function Nothing({ filter: { terms }, table }: { readonly filter: Filter; readonly table: SequenceTable }) {
  const absent = terms.flatMap(({ field }) =>
    field?.scope === "sequence" && fieldValues(field, table, 0).every(({ value }) => value === "none")
      ? [field.name]
      : [],
  );
  return (
    <p class="nothing" role="status">
      No matching sequences{absent.length > 0 && `: none of the run has ${absent.join(" or ")}`}.{" "}
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
  return rows.reduce((sum, row) => sum + Number(value(table, row) ?? 0), 0);
}

/** Adds the column of matches after the handle. */
function withMatches(
  [handle, ...others]: readonly SequencesColumn[],
  matches: SequencesColumn | undefined,
): readonly SequencesColumn[] {
  return [handle!, ...(matches ? [matches] : []), ...others];
}

/** Rows to export, with every column, shown or not. */
function exportRows(table: SequenceTable, rows: Uint32Array, matches?: SequencesColumn): Row[] {
  return Array.from(rows, (row) =>
    Object.fromEntries(
      withMatches(COLUMNS, matches)
        .filter(({ key }) => !isBriefColumn(key))
        .map(({ key, value }) => [key, value(table, row) ?? null]),
    ),
  );
}
