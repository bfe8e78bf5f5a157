/**
 * The record that number-token loss keeps of a rollout (`ntl_info`): the positions of digits in each response, the
 * digit selected there, its log-prob, and, if the engine returned them, the distributions over the ten digits. There
 * are no token ids: each digit is its own id.
 *
 * @module
 */
import { LengthMismatchError, MissingSideError, type NumericArray } from "../../../core/base/index.ts";
import { DIGITS, type SequenceDraft } from "../../../core/schema/index.ts";
import type { SourceDocument, TreeMap, TreeValue } from "../../io/columns.ts";
import type { Adapter } from "../adapter.ts";
import { DIGIT_NAMES } from "../shared/fields.ts";
import { asMatrix, describeValue, isMap, type Matrix } from "../shared/tree-values.ts";

const NEEDED = ["digit_positions", "digit_ground_truth", "digit_log_probs_selected"] as const;

interface Columns {
  readonly positions: Matrix;
  readonly digits: Matrix;
  readonly logprobs: Matrix;
  /** `[B, T, 10]`, and whether they are probabilities. */
  readonly distributions?: { readonly matrix: Matrix; readonly isLog: boolean } | undefined;
}

/** The dict at the top, or the one under `ntl_info`. */
function findRoot(document: SourceDocument): TreeMap | undefined {
  if (document.kind !== "tree") return undefined;
  const { ntl_info: inner } = document.root;
  const root = isMap(inner) ? inner : document.root;
  return NEEDED.every((name) => isRagged(root[name])) ? root : undefined;
}

/** Lists of lists, some of them empty; a list without lists has nothing to read. */
function isRagged(value: TreeValue | undefined): boolean {
  return value !== undefined && asMatrix(value) !== undefined;
}

function takeColumns(root: TreeMap): Columns {
  const [positions, digits, logprobs] = NEEDED.map((name) => asMatrix(root[name])!) as [
    Matrix,
    Matrix,
    Matrix,
  ];
  const find = (names: readonly string[]): Matrix | undefined =>
    names.map((name) => asMatrix(root[name])).find((matrix) => matrix !== undefined);
  const logs = find(DIGIT_NAMES.digitLogprobs);
  const matrix = logs ?? find(DIGIT_NAMES.digitProbs);
  return { positions, digits, logprobs, distributions: matrix && { matrix, isLog: logs !== undefined } };
}

async function* readDrafts(root: TreeMap, file: string): AsyncGenerator<readonly SequenceDraft[]> {
  const { positions, digits, logprobs, distributions } = takeColumns(root);
  const { rows } = positions;
  for (const [name, matrix] of [
    ["digit_ground_truth", digits],
    ["digit_log_probs_selected", logprobs],
    ["the digit distributions", distributions?.matrix ?? positions],
  ] as const) {
    if (matrix.rows === rows) continue;
    throw new LengthMismatchError(`${name}: ${matrix.rows} sequences, digit_positions has ${rows}`, {
      found: matrix.rows,
      expected: rows,
      at: { file },
    });
  }
  const [places, values, selected] = await Promise.all(
    [positions, digits, logprobs].map((matrix) => matrix.readRows(0, rows)),
  );
  const spread = await distributions?.matrix.readRows(0, rows);
  yield places!.map((at, row) => {
    const one = { at, digits: values![row]!, logprobs: selected![row]!, row, file };
    const whole = spread?.[row];
    return toDraft(one, whole && distributions && (distributions.isLog ? whole : toLogs(whole)));
  });
}

function toLogs(values: NumericArray): NumericArray {
  return values.some((value) => value < 0) ? values : Float64Array.from(values, Math.log);
}

interface DigitRow {
  readonly at: NumericArray;
  readonly digits: NumericArray;
  readonly logprobs: NumericArray;
  readonly row: number;
  readonly file: string;
}

/** The response up to its last digit: mask 1 at digits, and nothing known about the tokens between them. */
function toDraft(
  { at, digits, logprobs, row, file }: DigitRow,
  whole: NumericArray | undefined,
): SequenceDraft {
  if (digits.length !== at.length || logprobs.length !== at.length) {
    throw new LengthMismatchError(
      `${at.length} digit positions, ${digits.length} digits, ${logprobs.length} selected log-probs`,
      { found: logprobs.length, expected: at.length, at: { file, row } },
    );
  }
  let length = 0;
  for (const place of at) length = Math.max(length, place + 1);
  const mask = new Uint8Array(length);
  const ids = new Int32Array(length).fill(-1);
  const values = new Float64Array(length).fill(Number.NaN);
  for (const [i, place] of at.entries()) {
    mask[place] = 1;
    ids[place] = digits[i]!;
    values[place] = logprobs[i]!;
  }
  return {
    length,
    row,
    responseMask: mask,
    responseTokenIds: ids,
    rolloutLogprobs: values,
    digitLogprobs: whole && spreadOut(whole, at, length),
  };
}

/** Distributions at the positions of the digits, from those of all tokens or of the digits only. */
function spreadOut(whole: NumericArray, at: NumericArray, length: number): NumericArray {
  const isDense = whole.length >= length * DIGITS && whole.length !== at.length * DIGITS;
  if (isDense) return whole.subarray(0, length * DIGITS);
  if (whole.length !== at.length * DIGITS) return whole;
  const spread = new Float64Array(length * DIGITS).fill(Number.NaN);
  for (const [i, place] of at.entries())
    for (let digit = 0; digit < DIGITS; digit++) spread[place * DIGITS + digit] = whole[i * DIGITS + digit]!;
  return spread;
}

export const ntl: Adapter = {
  name: "ntl",
  async detect(document) {
    const root = findRoot(document);
    if (root === undefined) return undefined;
    return {
      score: 0.9,
      found: Object.keys(root)
        .filter((name) => name.startsWith("digit_"))
        .map((name) => `${name}: ${describeValue(root[name])}`),
      guessed: ["token ids: not in the file, so each digit is its own id"],
      missing: ["trainer log-probs"],
      onePolicy: {
        has: "rollout",
        what: "the digits of a rollout (ntl_info)",
        error: new MissingSideError(
          "ntl_info holds only the rollout policy's log-probs of the selected digits: the trainer side is missing",
          {
            at: { file: document.file },
            likely: "number-token loss keeps only the digits of a response",
            hint: "logratio digits reads this file as it is",
          },
        ),
      },
    };
  },
  async read(document) {
    return { alignment: "token", sampling: {}, blocks: readDrafts(findRoot(document)!, document.file) };
  },
};
