/** What a row is about; the label says it in a word. */
export interface AnswerRow {
  readonly label: string;
  readonly text: string;
  /** What goes first where there is no room for all: the smallest. */
  readonly rank: number;
  /** Lines that stand under it as they are: quoted text, bars, a line to paste. */
  readonly quoted?: readonly string[];
}
