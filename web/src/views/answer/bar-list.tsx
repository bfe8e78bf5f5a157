import type { ComponentChildren } from "preact";

/** Rows with a name, a number and a bar. */
export function BarList({
  rows,
}: {
  readonly rows: readonly {
    readonly key: string;
    readonly label: ComponentChildren;
    readonly value: string;
    readonly bar: number;
    /** A thin line in the bar, with its tooltip. */
    readonly mark?: { readonly at: number; readonly said: string };
    readonly class?: string;
  }[];
}) {
  return (
    <ul class="bar-list">
      {rows.map(({ key, label, value, bar, mark, class: name }) => (
        <li key={key} class={name}>
          <span>{label}</span> <b>{value}</b>{" "}
          <span class="bar" aria-hidden="true" title={mark?.said}>
            <i style={{ width: `${100 * bar}%` }} />
            {mark !== undefined && <u style={{ left: `${100 * mark.at}%` }} />}
          </span>
        </li>
      ))}
    </ul>
  );
}
