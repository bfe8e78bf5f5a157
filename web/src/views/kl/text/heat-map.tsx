import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { clipMiddle } from "../../../../../src/render/terminal/index.ts";
import { formatCounted, formatNumber, formatSigned } from "../../../../../src/render/text/display/index.ts";
import { printable } from "../../../../../src/render/text/index.ts";
import { type HeatColumn, heatLines, TOKEN_CHARACTERS } from "../../../../../src/study/render/index.ts";
import { makeHref } from "../../../state/url.ts";
import { findToken } from "./strip.tsx";
import { classesAt, errorClasses, heatText, shadeAt, type TextModel, valueAt } from "./text-model.ts";
import { shortToken } from "./token-text.ts";
import { WhenNear } from "./when-near.tsx";

/** Widths in pixels of a row's name and of a character in the cells' font. */
const NAME_WIDTH = 132;
const CHARACTER_WIDTH = 6.8;
const NAME_CHARACTERS = 17;
/** If there are more lines than this, they are drawn as they come into sight. */
const MANY_LINES = 60;
const ROW_HEIGHT = 17;

/**
 * Tokens across, checkpoints down, in lines that fit the page. Every cell contains its level of the legend, so that
 * colors are not needed.
 */
export function HeatMap({
  model,
  checkpoint,
  token,
  allLines,
  onChoose,
}: {
  readonly model: TextModel;
  readonly checkpoint: number;
  readonly token: number | undefined;
  readonly allLines: boolean;
  readonly onChoose: (token: number, checkpoint: number | undefined) => void;
}) {
  const box = useRef<HTMLElement>(null);
  const [characters, setCharacters] = useState(150);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void =>
      setCharacters(Math.max(30, Math.floor((element.clientWidth - NAME_WIDTH) / CHARACTER_WIDTH)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const text = useMemo(() => heatText(model, checkpoint), [model, checkpoint]);
  const lines = useMemo(
    () => heatLines(text, { characters, ...(allLines && { lines: Number.POSITIVE_INFINITY }) }),
    [text, characters, allLines],
  );
  const isQuiet = lines.some(({ kind }) => kind === "quiet");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys walk the tokens, wherever the focus is
    <section
      class="heat-map"
      aria-label="Tokens by checkpoint"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where a line is wider than the page
      tabIndex={0}
      ref={box}
      onClick={({ target }) => {
        const chosen = findToken(target);
        const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
        if (chosen !== undefined) onChoose(chosen, row === null ? undefined : Number(row.dataset.row));
      }}
    >
      {lines.map((line) =>
        line.kind === "quiet" ? (
          <p class="note" key={`quiet ${line.from}`}>
            Tokens {line.from} to {line.to - 1} ({formatCounted(line.to - line.from, "token")}) are not drawn:{" "}
            {line.most === null ? "none has a KL" : `KL at most ${formatNumber(line.most)}`}.
          </p>
        ) : (
          <WhenNear
            key={line.columns[0]?.from}
            isNear={lines.length < MANY_LINES || line.columns.some(({ from }) => from === token)}
            height={ROW_HEIGHT * (model.wire.meta.checkpoints.length + 2)}
          >
            {() => (
              <Line
                model={model}
                columns={line.columns}
                checkpoint={checkpoint}
                token={line.columns.some(({ from }) => from === token) ? token : undefined}
              />
            )}
          </WhenNear>
        ),
      )}
      {(isQuiet || allLines) && (
        <p class="note">
          <a href={makeHref({ params: { lines: allLines ? undefined : "all" } })}>
            {allLines ? "Fold quiet lines" : "Draw all lines"}
          </a>
        </p>
      )}
    </section>
  );
}

function Line({
  model,
  columns,
  checkpoint,
  token,
}: {
  readonly model: TextModel;
  readonly columns: readonly HeatColumn[];
  readonly checkpoint: number;
  readonly token: number | undefined;
}) {
  // The element stays the same while nothing in it changes, so that stepping through a text redraws one line.
  return useMemo(() => {
    const { checkpoints } = model.wire.meta;
    const [first, last] = [columns[0]?.from ?? 0, (columns.at(-1)?.to ?? 1) - 1];
    return (
      <table>
        <caption>
          Tokens {first} to {last}
        </caption>
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <Head key={column.from} model={model} column={column} checkpoint={checkpoint} token={token} />
            ))}
          </tr>
        </thead>
        <tbody>
          {checkpoints.map((name, row) => (
            <tr key={name} data-row={row} class={row === checkpoint ? "chosen-row" : undefined}>
              <th scope="row" title={printable(name)}>
                {clipMiddle(printable(name), NAME_CHARACTERS, "…")}
              </th>
              {columns.map(({ from }) => (
                <td
                  key={from}
                  data-token={from}
                  class={`${classesAt(model, row, from)}${from === token ? " chosen" : ""}`}
                  title={formatTitle(model, name, row, from)}
                >
                  {cellText(model, row, from)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  }, [model, columns, checkpoint, token]);
}

function Head({
  model,
  column: { from, to },
  checkpoint,
  token,
}: {
  readonly model: TextModel;
  readonly column: HeatColumn;
  readonly checkpoint: number;
  readonly token: number | undefined;
}) {
  if (to - from > 1)
    return (
      <th scope="col" class="folded" title={`tokens ${from} to ${to - 1}`}>
        tool output, {formatCounted(to - from, "token")}
      </th>
    );
  const spike = model.spikes[checkpoint]?.has(from) ? "spike" : "";
  const classes = `${spike}${errorClasses(model, from)}${from === token ? " chosen" : ""}`.trim();
  return (
    <th scope="col" data-token={from} class={classes}>
      <bdi>{shortToken(model.wire.meta.tokens[from] ?? "", TOKEN_CHARACTERS)}</bdi>
    </th>
  );
}

function cellText(model: TextModel, row: number, token: number): string {
  const shade = shadeAt(model, row, token);
  if (shade.kind !== "level") return shade.kind === "tool" ? "" : "–";
  return shade.level === 0 ? "" : String(shade.level);
}

function formatTitle(model: TextModel, name: string, row: number, token: number): string | undefined {
  const shade = shadeAt(model, row, token);
  // Most cells are quiet and get no title, because a long text has many cells.
  if (shade.kind !== "level" || shade.level === 0) return undefined;
  const kl = formatNumber(valueAt(model, "kl", row, token));
  return `${printable(name)}: KL ${kl}, Δ ${formatSigned(valueAt(model, "delta", row, token))}`;
}
