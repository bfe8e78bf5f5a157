import { useId, useMemo } from "preact/hooks";
import { formatCount, formatCounted, formatNumber } from "../../../../../src/render/text/display/index.ts";
import { printable } from "../../../../../src/render/text/index.ts";
import type { StudyTextRow, StudyTexts } from "../../../../../src/results/view.ts";
import { useKeys } from "../../../state/keys.ts";
import { makeHref, navigate } from "../../../state/url.ts";
import { Choice } from "../../../ui/choice.tsx";
import type { Row } from "../../../ui/export.ts";
import { TakeAway } from "../../../ui/virtual-table/take-away.tsx";
import { type TableColumn, VirtualTable } from "../../../ui/virtual-table/virtual-table.tsx";
import { CheckpointSelect } from "../checkpoint-select.tsx";
import { type Choices, toPart } from "../choices.ts";
import { chooseTexts } from "./order.ts";

/** Every text of the study, with its figures at one checkpoint. */
export function TextList({ list, choices }: { readonly list: StudyTexts; readonly choices: Choices }) {
  const id = useId();
  const { find, answer, order, checkpoint } = choices;
  const rows = useMemo(
    () => chooseTexts(list.texts, choices),
    [list, find, answer, order.key, order.descending, checkpoint],
  );
  useKeys({ "/": { describe: "find texts", run: () => document.getElementById(id)?.focus() } });
  const onSort = (key: string): void => {
    const descending = order.key === key ? !order.descending : key !== "text" && key !== "index";
    navigate({ params: { order: `${descending ? "-" : ""}${key}` } });
  };
  const isJudged = list.texts.some(({ correct }) => correct !== null);
  return (
    <section class="text-list" aria-label="Texts">
      <div class="controls">
        <label class="find">
          Find{" "}
          <input
            id={id}
            type="search"
            value={find}
            spellcheck={false}
            placeholder="words of the name, problem, source, prompt"
            onInput={({ currentTarget: { value } }) =>
              navigate({ params: { find: value === "" ? undefined : value } }, { replace: true })
            }
          />
        </label>
        {isJudged && (
          <Choice
            label="Answer"
            name="answer"
            value={answer}
            options={[
              { name: "all", title: "all" },
              { name: "right", title: "right" },
              { name: "wrong", title: "wrong" },
              { name: "unknown", title: "not known" },
            ]}
            onChange={(next) => navigate({ params: { answer: next === "all" ? undefined : next } })}
          />
        )}
        <CheckpointSelect checkpoints={list.checkpoints} at={checkpoint} />
        <TakeAway what="texts" rows={() => exportRows(list, rows)} />
        <p class="counts" role="status">
          <strong>{formatCount(rows.length)}</strong> of {formatCounted(list.texts.length, "text")}
        </p>
      </div>
      {rows.length === 0 ? (
        <p class="nothing" role="status">
          No matching texts.{" "}
          <button
            type="button"
            onClick={() => navigate({ params: { find: undefined, answer: undefined } }, { replace: true })}
          >
            Show all
          </button>
        </p>
      ) : (
        <VirtualTable
          label="Texts"
          noun="text"
          columns={columnsFor(checkpoint, list.checkpoints[checkpoint] ?? "", isJudged)}
          count={rows.length}
          row={(at) => rows[at]!}
          sort={order}
          onSort={onSort}
          onOpen={({ index }) => navigate({ params: toPart("text", index) })}
        />
      )}
    </section>
  );
}

function columnsFor(checkpoint: number, name: string, isJudged: boolean): TableColumn<StudyTextRow>[] {
  const at = ` at ${printable(name)}`;
  return [
    {
      key: "index",
      title: "Text",
      help: "place in the study; the link goes to its tokens",
      width: 80,
      sortable: true,
      cell: ({ handle, index }) => <a href={makeHref({ params: toPart("text", index) })}>{handle}</a>,
    },
    {
      key: "text",
      title: "Name",
      help: "source and problem",
      width: 230,
      sortable: true,
      cell: ({ text }) => <bdi>{printable(text)}</bdi>,
    },
    ...(isJudged
      ? [
          {
            key: "answer",
            title: "answer",
            help: "whether the text is right",
            width: 90,
            sortable: true,
            cell: ({ correct }: StudyTextRow) => (correct === null ? "–" : correct ? "right" : "wrong"),
            cellClass: ({ correct }: StudyTextRow) =>
              correct === null ? undefined : correct ? "is-right" : "is-wrong",
          },
        ]
      : []),
    figure("tokens", "tokens", "the policy's own", 90, ({ own_tokens }) => formatCount(own_tokens)),
    figure("kl", "mean KL", `nats${at}`, 110, ({ mean_kl }) => formatNumber(mean_kl[checkpoint])),
    figure("most", "most", `largest KL of a token${at}, nats`, 100, ({ max_kl }) =>
      formatNumber(max_kl[checkpoint]),
    ),
    figure("spikes", "spikes", `spikes${at}`, 90, ({ spikes }) => formatCount(spikes[checkpoint])),
    {
      key: "opening",
      title: "Prompt",
      help: "its beginning",
      width: 520,
      cell: ({ opening }) => <bdi class="opening">{opening === null ? "–" : oneLine(opening)}</bdi>,
    },
  ];
}

/** Line ends become spaces; other invisible characters are written out. */
function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}

function figure(
  key: string,
  title: string,
  help: string,
  width: number,
  cell: (row: StudyTextRow) => string,
): TableColumn<StudyTextRow> {
  return { key, title, help, width, align: "end", sortable: true, cell };
}

/** Every figure at every checkpoint. */
function exportRows({ checkpoints }: StudyTexts, rows: readonly StudyTextRow[]): Row[] {
  return rows.map(({ mean_kl, max_kl, spikes, ...row }) => ({
    ...row,
    ...Object.fromEntries(
      checkpoints.flatMap((name, at) => [
        [`mean_kl ${name}`, mean_kl[at]],
        [`max_kl ${name}`, max_kl[at]],
        [`spikes ${name}`, spikes[at]],
      ]),
    ),
  }));
}
