import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { readHandle } from "../../../../src/core/schema/index.ts";
import { formatCounted } from "../../../../src/render/text/display/index.ts";
import { printable } from "../../../../src/render/text/index.ts";
import type { SqlAnswer, SqlTables } from "../../../../src/results/sql.ts";
import { client } from "../../api/client.ts";
import { type Loaded, lazily, settle } from "../../state/loaded.ts";
import { navigate, route } from "../../state/url.ts";
import { HandleLink } from "../../ui/place-link.tsx";
import { TakeAway } from "../../ui/virtual-table/take-away.tsx";
import { type TableColumn, VirtualTable } from "../../ui/virtual-table/virtual-table.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { columnWidth, toObjects } from "./results.ts";
import "./style.css";

const tables = lazily(client.sqlTables);

/** One query over the run's tables, answered by the server. */
export function SqlView({ info }: ViewProps) {
  return (
    <div class="sql-view">
      <h1 class="visually-hidden">SQL</h1>
      {info.bundled ? (
        <p class="muted">
          A bundle cannot run SQL. <code>logratio view</code> of the run can, and <code>logratio sql</code>{" "}
          queries what <code>logratio export</code> writes.
        </p>
      ) : (
        <WhenLoaded of={tables()}>{(help) => <Query help={help} />}</WhenLoaded>
      )}
    </div>
  );
}

function Query({ help }: { readonly help: SqlTables }) {
  const sql = route.value.params.sql ?? "";
  // Each run of a query has its own signal, so that a late answer to an earlier one is not shown.
  const [answer, setAnswer] = useState<ReadonlySignal<Loaded<SqlAnswer>> | undefined>();
  const asked = useRef<AbortController | undefined>(undefined);
  const write = (text: string): void =>
    navigate({ params: { sql: text === "" ? undefined : text } }, { replace: true });
  const stop = (): void => {
    asked.current?.abort();
    setAnswer(undefined);
  };
  const run = (text = sql): void => {
    stop();
    asked.current = new AbortController();
    const result = signal<Loaded<SqlAnswer>>({ state: "loading" });
    setAnswer(result);
    void settle(client.sql(text, asked.current.signal), result);
  };
  useEffect(() => () => asked.current?.abort(), []);
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <textarea
          aria-label="SQL"
          aria-describedby="sql-limits"
          rows={Math.min(16, Math.max(4, sql.split("\n").length + 1))}
          spellcheck={false}
          placeholder="SELECT … FROM tokens"
          value={sql}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            run();
          }}
        />
        <p>
          <button type="submit">Run</button> <kbd>Ctrl Enter</kbd>{" "}
          {answer?.value.state === "loading" && (
            <button type="button" onClick={stop}>
              Stop
            </button>
          )}
        </p>
      </form>
      <p>
        Examples:{" "}
        {help.examples.map(({ title, sql: example }) => (
          <button
            key={title}
            type="button"
            onClick={() => {
              write(example);
              run(example);
            }}
          >
            {title}
          </button>
        ))}
      </p>
      {answer && <WhenLoaded of={answer}>{(value) => <Result answer={value} />}</WhenLoaded>}
      <Help help={help} />
    </>
  );
}

type ResultRow = SqlAnswer["rows"][number];

function Result({ answer: { columns, rows, more } }: { readonly answer: SqlAnswer }) {
  const shown = columns.map(
    ({ name, type }, at): TableColumn<ResultRow> => ({
      key: `${at}`,
      title: printable(name),
      help: type,
      width: columnWidth(name, rows, at),
      ...(typeof rows.find((row) => row[at] !== null)?.[at] === "number" && { align: "end" as const }),
      cell: (row) => <Cell value={row[at]!} />,
    }),
  );
  return (
    <section aria-label="Result">
      <p role="status">
        {more
          ? `The first ${formatCounted(rows.length, "row")}; there are more.`
          : formatCounted(rows.length, "row")}
        <TakeAway what="result" rows={() => toObjects(columns, rows)} />
      </p>
      <VirtualTable label="Result" noun="row" columns={shown} count={rows.length} row={(at) => rows[at]!} />
    </section>
  );
}

function Cell({ value }: { readonly value: ResultRow[number] }) {
  if (value === null) return <span class="muted">NULL</span>;
  const text = String(value);
  if (readHandle(text) !== undefined) return <HandleLink handle={text} />;
  return <bdi title={text}>{printable(text)}</bdi>;
}

function Help({ help }: { readonly help: SqlTables }) {
  return (
    <section aria-label="Tables">
      <p id="sql-limits" class="muted">
        {help.limits}
      </p>
      {help.tables.map(({ name, meaning, columns }) => (
        <details key={name}>
          <summary>
            <code>{name}</code>: {meaning}
          </summary>
          <table>
            <tbody>
              {columns.map((column) => (
                <tr key={column.name}>
                  <th scope="row">
                    <code>{column.name}</code>
                  </th>
                  <td>{column.type}</td>
                  <td>{column.meaning}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </section>
  );
}
