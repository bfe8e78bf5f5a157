/**
 * Why something is not to be had, where that is an answer and not an error: the caller goes on without it. A class of
 * its own, so that no text is ever taken for a reason, or a reason for a text.
 */
export class Unavailable {
  /** A clause for a message: "both factors of the last MatMul depend on the text". */
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
