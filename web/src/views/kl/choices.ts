/**
 * What the address says about this view: `#/checkpoints?part=texts&checkpoint=rlvr_step_300&text=12&token=40`.
 *
 * @module
 */
import { isTextOrder, type TextOrder } from "./texts/order.ts";

const PARTS = ["study", "texts"] as const;
export type Part = (typeof PARTS)[number] | "text";

export interface Choices {
  readonly part: Part;
  /** Index in the study's list of texts. */
  readonly text: number | undefined;
  /** Response token of the text. */
  readonly token: number | undefined;
  /** Index in the study's list of checkpoints: the last one unless the address names another. */
  readonly checkpoint: number;
  /** Whether quiet lines of long texts are drawn, too. */
  readonly allLines: boolean;
  readonly find: string;
  readonly answer: AnswerFilter;
  readonly order: TextOrder;
}

const ANSWERS = ["all", "right", "wrong", "unknown"] as const;
export type AnswerFilter = (typeof ANSWERS)[number];

type Params = Readonly<Record<string, string | undefined>>;

export function readChoices(params: Params, checkpoints: readonly string[]): Choices {
  const text = wholeNumber(params.text);
  const named = checkpoints.indexOf(params.checkpoint ?? "");
  const order = params.order?.replace(/^-/, "");
  return {
    part: text !== undefined ? "text" : (PARTS.find((part) => part === params.part) ?? "study"),
    text,
    token: text === undefined ? undefined : wholeNumber(params.token),
    checkpoint: named < 0 ? checkpoints.length - 1 : named,
    allLines: params.lines === "all",
    find: params.find ?? "",
    answer: ANSWERS.find((answer) => answer === params.answer) ?? "all",
    order: isTextOrder(order)
      ? { key: order, descending: params.order?.startsWith("-") === true }
      : { key: "index", descending: false },
  };
}

/** Parameters that belong to one text: dropped when another is shown. */
const OF_ONE_TEXT = { token: undefined, lines: undefined } as const;

/** Parameters for a part (the whole study, the list, or a text); those of other parts are dropped. */
export function toPart(part: Part, text?: number): Record<string, string | undefined> {
  return {
    ...OF_ONE_TEXT,
    part: part === "texts" || part === "text" ? "texts" : undefined,
    text: part === "text" && text !== undefined ? String(text) : undefined,
  };
}

/** The checkpoint's parameter: none for the last one, which is the default. */
export function checkpointParam(checkpoints: readonly string[], at: number): string | undefined {
  return at === checkpoints.length - 1 ? undefined : checkpoints[at];
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
