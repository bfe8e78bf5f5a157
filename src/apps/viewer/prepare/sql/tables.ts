/**
 * The tables that SQL sees: one list of their columns, for the files that DuckDB reads, the page's help and
 * docs/view.md.
 *
 * @module
 */

import { TOKEN_FLAGS, tokenClass } from "../../../../core/base/index.ts";
import { turnOfMark } from "../../../../core/kernels/index.ts";
import type { ColumnData, ScalarType } from "../../../../input/readers/index.ts";
import { SEQUENCE_ENTRIES, type SequenceEntry } from "../../../../results/metrics/sequence-columns.ts";
import type { SqlTable } from "../../../../results/sql.ts";
import type { RunInfo } from "../../../../results/view.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { textBetween } from "../../../../results/wire/sequence-text.ts";
import type { SequenceTable } from "../../../../results/wire/table.ts";

export interface SqlColumn<Source> {
  readonly name: string;
  readonly type: ScalarType;
  readonly meaning: string;
  readonly values: (source: Source) => ColumnData;
}

/** Of the table of sequences and their handles. */
export interface SequenceSource {
  readonly table: SequenceTable;
  readonly handles: readonly string[];
}

const SQL_TYPES: Readonly<Record<ScalarType, string>> = {
  int32: "INTEGER",
  int64: "BIGINT",
  float32: "FLOAT",
  float64: "DOUBLE",
  bool: "BOOLEAN",
  string: "VARCHAR",
};

const TYPES = { whole: "int64", number: "float64", "yes-no": "bool" } as const;

export const SEQUENCE_COLUMNS: readonly SqlColumn<SequenceSource>[] = [
  {
    ...{ name: "handle", type: "string", meaning: "step, rank and row in one: s30.q48" },
    values: ({ handles }) => ({ values: handles }),
  },
  {
    ...{ name: "sequence", type: "int32", meaning: "place in the run, from 0; joins the three tables" },
    values: ({ table }) => ({ values: Int32Array.from({ length: table.length }, (_, index) => index) }),
  },
  ...SEQUENCE_ENTRIES.flatMap((entry) => (entry.filter === undefined ? [] : [sequenceColumn(entry)])),
];

export const TOKEN_COLUMNS: readonly SqlColumn<WireSequence>[] = [
  {
    ...{ name: "handle", type: "string", meaning: "handle of the token: s30.q48.t39" },
    values: ({ meta, mask }) => ({ values: Array.from(mask, (_, token) => `${meta.handle}.t${token}`) }),
  },
  {
    ...{ name: "sequence", type: "int32", meaning: "its sequence" },
    values: ({ meta, mask }) => ({ values: new Int32Array(mask.length).fill(meta.index) }),
  },
  {
    ...{ name: "position", type: "int32", meaning: "place in the response, from 0" },
    values: ({ mask }) => ({ values: Int32Array.from(mask, (_, token) => token) }),
  },
  {
    ...{ name: "token_id", type: "int32", meaning: "token id" },
    values: ({ ids, meta }) => ({ values: ids.subarray(meta.promptLength) }),
  },
  {
    ...{ name: "text", type: "string", meaning: "its text; only with a tokenizer" },
    values: (sequence) => ({ values: tokenTexts(sequence, (value) => value) }),
  },
  {
    ...{
      name: "class",
      type: "string",
      meaning: "class by its text, as in the filter's is: number, word, …",
    },
    values: (sequence) => ({ values: tokenTexts(sequence, tokenClass) }),
  },
  {
    ...{ name: "own", type: "bool", meaning: "whether the policy sampled it (mask 1)" },
    values: ({ mask }) => ({ values: Uint8Array.from(mask, (value) => (value === 0 ? 0 : 1)) }),
  },
  {
    ...{ name: "turn", type: "int32", meaning: "its turn, from 0" },
    values: ({ turnMarks }) => known(Float64Array.from(turnMarks, (mark) => turnOfMark(mark) ?? Number.NaN)),
  },
  tokenFigure("rollout_logprob", "rollout log-prob, nats", ({ rollout }) => rollout),
  tokenFigure("trainer_logprob", "trainer log-prob, nats", ({ trainer }) => trainer),
  tokenFigure("delta", "Δ = trainer − rollout, nats", ({ rollout, trainer }) =>
    Float32Array.from(rollout, (value, token) => {
      const delta = trainer[token]! - value;
      return Number.isFinite(delta) ? delta : Number.NaN;
    }),
  ),
  tokenFigure(
    "rollout_entropy",
    "entropy of the rollout policy, nats",
    ({ rolloutEntropy }) => rolloutEntropy,
  ),
  tokenFigure(
    "trainer_entropy",
    "entropy of the trainer policy, nats",
    ({ trainerEntropy }) => trainerEntropy,
  ),
  tokenFigure("advantage", "advantage", ({ advantages }) => advantages),
];

export const TEXT_COLUMNS: readonly SqlColumn<WireSequence>[] = [
  {
    ...{ name: "handle", type: "string", meaning: "handle of the sequence" },
    values: ({ meta }) => ({ values: [meta.handle] }),
  },
  {
    ...{ name: "sequence", type: "int32", meaning: "its place in the run" },
    values: ({ meta }) => ({ values: Int32Array.of(meta.index) }),
  },
  {
    ...{ name: "prompt", type: "string", meaning: "text of the prompt" },
    values: (sequence) => ({ values: [textBetween(sequence, 0, sequence.meta.promptLength)] }),
  },
  {
    ...{ name: "response", type: "string", meaning: "text of the response" },
    values: (sequence) => ({
      values: [textBetween(sequence, sequence.meta.promptLength, sequence.ids.length)],
    }),
  },
];

/** Names of the tables that a run has: texts only where they are known. */
export type SqlTableName = "sequences" | "tokens" | "texts";

const MEANINGS: Readonly<Record<SqlTableName, string>> = {
  sequences: "a row for each sequence",
  tokens: "a row for each response token",
  texts: "prompt and response of each sequence",
};

/** The tables as the page describes them; without a tokenizer, there is no table of texts. */
export function describeTables({ has }: Pick<RunInfo, "has">): readonly SqlTable[] {
  const lists = { sequences: SEQUENCE_COLUMNS, tokens: TOKEN_COLUMNS, texts: TEXT_COLUMNS };
  return (Object.keys(MEANINGS) as SqlTableName[])
    .filter((name) => name !== "texts" || has.texts)
    .map((name) => ({
      name,
      meaning: MEANINGS[name],
      columns: lists[name].map((column) => ({
        name: column.name,
        type: SQL_TYPES[column.type],
        meaning: column.meaning,
      })),
    }));
}

/** Of what one can filter by; the rest is for the page only. */
function sequenceColumn(entry: SequenceEntry): SqlColumn<SequenceSource> {
  const { sql: name = entry.key, meaning } = entry;
  if (entry.kind !== "text")
    return { name, type: TYPES[entry.kind], meaning, values: ({ table }) => known(table.columns[entry.key]) };
  return {
    ...{ name, type: "string", meaning },
    values: ({ table }) => {
      const { values, codes } = table.texts[entry.key];
      return { values: Array.from(codes, (code) => values[code] ?? null) };
    },
  };
}

function tokenFigure(
  name: string,
  meaning: string,
  of: (sequence: WireSequence) => Float32Array | undefined,
): SqlColumn<WireSequence> {
  return {
    ...{ name, type: "float32", meaning },
    values: (sequence) => known(of(sequence) ?? new Float32Array(sequence.mask.length).fill(Number.NaN)),
  };
}

/** Numbers in which NaN means missing. */
function known(values: Float64Array | Float32Array): ColumnData {
  const valid = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1));
  return { values: values.map((value) => (Number.isNaN(value) ? 0 : value)), valid };
}

/** Null where no tokenizer knows the token. */
function tokenTexts(
  sequence: WireSequence,
  read: (text: string, flags: number) => string,
): (string | null)[] {
  const { flags, meta } = sequence;
  return Array.from(sequence.mask, (_, token) => {
    const at = meta.promptLength + token;
    const own = flags[at]!;
    return (own & TOKEN_FLAGS.unknown) !== 0 ? null : read(textBetween(sequence, at, at + 1), own);
  });
}
