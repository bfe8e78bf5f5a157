/**
 * A few large arrays with one row per sequence: verl's DataProto and anything of the same shape.
 *
 * @module
 */
import {
  checkMemory,
  LengthMismatchError,
  LimitError,
  type NumericArray,
  SchemaError,
} from "../../../core/base/index.ts";
import { DIGITS, type SequenceDraft } from "../../../core/schema/index.ts";
import type { TreeValue } from "../../io/columns.ts";
import { MAX_ARRAY_ROWS } from "../../io/limits.ts";
import { reuseMemory } from "../../io/reused-memory.ts";
import { FIELD_LABELS, type FoundColumn, type FoundColumns, TEXT_FIELDS } from "./fields.ts";
import {
  ALIGNED_FIELDS,
  ARRAY_FIELDS,
  type ArrayField,
  type RowArrays,
  type RowScalars,
} from "./sequence.ts";
import { DraftMaker } from "./split-pack.ts";
import {
  asMatrix,
  describeValue,
  type Matrix,
  readNumbers,
  readScalar,
  readTexts,
  readVector,
  vectorLength,
} from "./tree-values.ts";

/** A matrix, or a vector as a matrix of one row. */
function asRows(value: TreeValue): Matrix | undefined {
  const matrix = asMatrix(value);
  if (matrix !== undefined) return matrix;
  const width = vectorLength(value);
  if (width === undefined) return undefined;
  return { rows: 1, width, inner: [width], readRows: async () => [(await readVector(value))!] };
}

interface NamedMatrix {
  readonly name: string;
  readonly matrix: Matrix;
  readonly shape: string;
}

function collectMatrices(columns: FoundColumns<TreeValue>, file: string): Map<ArrayField, NamedMatrix> {
  const matrices = new Map<ArrayField, NamedMatrix>();
  for (const field of ARRAY_FIELDS) {
    const column = columns.get(field);
    if (column === undefined) continue;
    const matrix = asRows(column.value);
    // Positions with several dimensions (image and text) are not token positions.
    if (field === "positions" && matrix !== undefined && matrix.inner.length > 1) continue;
    if (matrix !== undefined) {
      matrices.set(field, { name: column.name, matrix, shape: describeValue(column.value) });
    } else if (field === "rollout" || field === "trainer") {
      throw new SchemaError(
        `${FIELD_LABELS[field]}: ${column.name} is ${describeValue(column.value)}, not an array of numbers per sequence`,
        {
          at: { file, entry: column.name },
        },
      );
    }
  }
  return matrices;
}

/**
 * Per-token arrays must have the shape of the rollout log-probs. Advantages, token scores and entropies with one value
 * per row, or with a single row, are dropped instead.
 */
function checkShapes(matrices: Map<ArrayField, NamedMatrix>, file: string): NamedMatrix {
  const reference = matrices.get("rollout") ?? matrices.get("trainer")!;
  for (const [field, { name, matrix, shape }] of matrices) {
    const isOfDigits = field === "digitLogprobs" || field === "digitProbs";
    const { width } = reference.matrix;
    if (isOfDigits && width !== undefined && matrix.width !== width * DIGITS) {
      throw new LengthMismatchError(
        `${name} is ${shape}, ${reference.name} is ${reference.shape}: expected ${DIGITS} numbers per token`,
        { at: { file, entry: name }, hint: "write the distributions of all response tokens: [B, T, 10]" },
      );
    }
    const rowsDiffer = matrix.rows !== reference.matrix.rows;
    const widthsDiffer =
      (ALIGNED_FIELDS as readonly ArrayField[]).includes(field) &&
      matrix.width !== undefined &&
      reference.matrix.width !== undefined &&
      matrix.width !== reference.matrix.width;
    if (!rowsDiffer && !widthsDiffer) continue;
    if (
      field === "advantages" ||
      field === "tokenScores" ||
      field === "tokenRewards" ||
      field === "rolloutEntropy" ||
      field === "trainerEntropy"
    ) {
      if (matrix.width === 1 || matrix.rows === 1) {
        matrices.delete(field);
        continue;
      }
    }
    throw new LengthMismatchError(`${name} is ${shape}, ${reference.name} is ${reference.shape}`, {
      at: { file, entry: name },
      likely: rowsDiffer
        ? "the arrays come from different batches"
        : "one array covers prompt and response, the other the response only, or they come from different batches",
      hint: "write both with one row per sequence and one column per response token",
    });
  }
  return reference;
}

const NUMBER_FIELDS = ["reward", "correctness", "advantages", "cachedTokens", "step", "rank"] as const;

/** One value per row, or the same for all rows. */
async function readScalarColumns(
  columns: FoundColumns<TreeValue>,
  rows: number,
): Promise<(row: number) => RowScalars> {
  const texts = new Map<string, readonly (string | undefined)[]>();
  for (const field of TEXT_FIELDS) {
    const list = await readTexts(columns.get(field)?.value, rows);
    if (list !== undefined) texts.set(field, list);
  }
  const numbers = new Map<string, ArrayLike<number>>();
  for (const field of NUMBER_FIELDS) {
    const value = columns.get(field)?.value;
    const list = await readNumbers(value, rows);
    if (list !== undefined) numbers.set(field, list);
    else if (field === "step" || field === "rank") {
      const same = await readScalar(value);
      if (same !== undefined) numbers.set(field, new Float64Array(rows).fill(same));
    }
  }
  const number = (field: string, row: number): number | undefined => {
    const value = numbers.get(field)?.[row];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  };
  return (row) => ({
    row,
    reward: number("reward", row),
    correctness: number("correctness", row),
    advantage: number("advantages", row),
    step: number("step", row),
    rank: number("rank", row),
    group: texts.get("group")?.[row],
    sample: texts.get("sample")?.[row],
    environment: texts.get("environment")?.[row],
    finishReason: texts.get("finishReason")?.[row],
    engineId: texts.get("engineId")?.[row],
    cachedTokens: number("cachedTokens", row),
    promptText: texts.get("promptText")?.[row],
    responseText: texts.get("responseText")?.[row],
  });
}

/** A draft takes about 500 bytes of objects, however short its row is. */
const MOST_BLOCK_ROWS = 1 << 14;
/** Bytes per token and array: stored, decoded, and in the record, which grows by doubling. */
const ELEMENT_BYTES = 24;
/** Bytes per row and text. */
const TEXT_BYTES = 64;

function checkRows(rows: number, columns: FoundColumns<TreeValue>, file: string): void {
  if (rows > MAX_ARRAY_ROWS) {
    throw new LimitError(
      `the arrays have ${rows} rows; at most ${MAX_ARRAY_ROWS} sequences are read from one file`,
      {
        needed: rows,
        limit: MAX_ARRAY_ROWS,
        at: { file },
        likely: "the dimensions are swapped, or the file was crafted to exhaust its reader",
        hint: "write one row per sequence, and split larger data into several files",
      },
    );
  }
  const texts = TEXT_FIELDS.filter((field) => columns.has(field)).length;
  checkMemory(
    rows * (texts * TEXT_BYTES + NUMBER_FIELDS.length * 8),
    `the texts and numbers of ${rows} rows`,
    {
      file,
    },
  );
}

export interface PaddedOptions {
  readonly file: string;
  readonly blockTokens: number;
  /** Further policies by name. */
  readonly policies?: Readonly<Record<string, FoundColumn<TreeValue>>> | undefined;
}

/**
 * Whether responses are right-aligned in their rows (SkyRL): the mask of every partly filled row ends at the last
 * column. One row that begins at the first column and ends early disproves it.
 */
function isPaddedOnTheLeft(masks: readonly RowArrays[ArrayField][] | undefined): boolean {
  let left = 0;
  for (const mask of masks ?? []) {
    if (mask === undefined || mask.length === 0 || !mask.some((value) => value !== 0)) continue;
    const [first, last] = [mask[0] !== 0, mask.at(-1) !== 0];
    if (!last) return false;
    if (!first) left++;
  }
  return left > 0;
}

/**
 * Drafts of a batch of `[B, T]` arrays, in blocks of rows.
 *
 * @throws LengthMismatchError when arrays that belong together have different shapes
 * @throws SchemaError when a log-prob column is not an array of numbers
 */
export async function* readPadded(
  columns: FoundColumns<TreeValue>,
  options: PaddedOptions,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { file, blockTokens } = options;
  const matrices = collectMatrices(columns, file);
  const { matrix: reference } = checkShapes(matrices, file);
  const policies = Object.entries(options.policies ?? {}).flatMap(([policy, { value }]) => {
    const matrix = asRows(value);
    return matrix !== undefined && matrix.rows === reference.rows ? [{ policy, matrix }] : [];
  });
  checkRows(reference.rows, columns, file);
  const scalars = await readScalarColumns(columns, reference.rows);
  const padToken = await readScalar(columns.get("padToken")?.value);
  const padded = reference.width !== undefined;

  const widest = Math.max(1, ...[...matrices.values()].map(({ matrix }) => matrix.width ?? 1));
  const rowsPerBlock = Math.min(MOST_BLOCK_ROWS, Math.max(1, Math.floor(blockTokens / widest)));
  const blockElements = Math.min(rowsPerBlock, reference.rows) * widest * (matrices.size + policies.length);
  checkMemory(
    blockElements * ELEMENT_BYTES,
    `${rowsPerBlock} rows of ${widest} tokens in ${matrices.size} arrays`,
    {
      file,
    },
  );
  const readers = [...matrices].map(([field, { matrix }]) => ({ field, ...reuseBlocks(matrix) }));
  const policyReaders = policies.map(({ policy, matrix }) => ({ policy, ...reuseBlocks(matrix) }));
  const maker = new DraftMaker();
  try {
    for (let start = 0; start < reference.rows; start += rowsPerBlock) {
      const end = Math.min(reference.rows, start + rowsPerBlock);
      const read = await allDone([...readers, ...policyReaders].map((reader) => reader.read(start, end)));
      const blocks = new Map(readers.map(({ field }, i) => [field, read[i]!] as const));
      const policyBlocks = policyReaders.map(({ policy }, i) => [policy, read[readers.length + i]!] as const);
      const isLeftPadded = isPaddedOnTheLeft(blocks.get("mask"));
      const drafts: SequenceDraft[] = [];
      for (let row = start; row < end; row++) {
        const arrays: RowArrays = {};
        for (const [field, block] of blocks) {
          const array = block[row - start];
          if (array !== undefined) arrays[field] = array;
        }
        const policyRow = Object.fromEntries(
          policyBlocks.map(([policy, block]) => [policy, block[row - start]!]),
        );
        drafts.push(
          ...maker.make(arrays, scalars(row), { padded, isLeftPadded, padToken, policies: policyRow }),
        );
      }
      yield drafts;
    }
  } finally {
    for (const { release } of [...readers, ...policyReaders]) release();
  }
}

/**
 * The results of all promises: one column is decoded while the next ones are read. Waits for all even if one fails,
 * since the others still write into memory that is released afterwards, and throws the first error in their order.
 */
async function allDone<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Reads blocks of rows one after the other into the same memory: drafts are valid until the next block. */
function reuseBlocks(matrix: Matrix): {
  readonly read: (start: number, end: number) => Promise<readonly NumericArray[]>;
  readonly release: () => void;
} {
  const { allocate, release } = reuseMemory();
  return { read: (start, end) => matrix.readRows(start, end, allocate), release };
}
