/** What a row is about; the label gives it in a word. */
export interface AnswerRow {
  readonly label: string;
  readonly text: string;
  /** Importance: where there is no room for all rows, the smallest goes first. */
  readonly rank: number;
  /** Lines that follow it unchanged: quoted text, bars, a line to paste. */
  readonly quoted?: readonly string[];
}
