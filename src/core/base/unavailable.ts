/**
 * Why something is unavailable, when that is a result and not an error: the caller continues without it. A class of
 * its own, so that texts and reasons are never confused.
 */
export class Unavailable {
  /** A clause for a message: "both factors of the last MatMul depend on the text". */
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
