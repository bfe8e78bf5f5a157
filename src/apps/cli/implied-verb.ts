/**
 * `logratio PATH…`: paths without a verb are a report. A verb wins over a file of its name.
 *
 *     argv ─► flags of the program ─► first word ─┬─ a verb ──────────────► as it stands, and a note if it is a file, too
 *                                                 ├─ a path, or like one ─► report before it
 *                                                 └─ else ────────────────► as it stands: commander knows what is near
 *
 * @module
 */

export const IMPLIED_VERB = "report";

/** A flag of the program, not of a verb, whose value is the word behind it. */
const WITH_VALUE = "--color";
/** What no verb has: a separator, a scheme, a pattern, an extension, a home; or standard input. */
const LIKE_A_PATH = /[\\/*?[\]{}.:~]|^-$/;

export interface ImpliedVerb {
  readonly argv: readonly string[];
  /** To be said where a file has the name of the verb. */
  readonly note?: string;
}

/**
 * The command line with its verb.
 *
 * @param exists whether a file or directory of this name is there
 */
export function implyVerb(
  argv: readonly string[],
  verbs: readonly string[],
  exists: (name: string) => boolean,
): ImpliedVerb {
  const at = argv.findIndex((word, index) => isOperand(word) && argv[index - 1] !== WITH_VALUE);
  const word = argv[at];
  // Flags of a verb before any word: whose they are is not known.
  if (word === undefined || argv.slice(0, at).some(isForeignFlag)) return { argv };
  if (verbs.includes(word)) {
    if (!exists(word)) return { argv };
    return { argv, note: `${word} is taken as the verb; the file of that name is ./${word}` };
  }
  if (!LIKE_A_PATH.test(word) && !exists(word)) return { argv };
  return { argv: argv.toSpliced(at, 0, IMPLIED_VERB) };
}

const isOperand = (word: string): boolean => word === "-" || !word.startsWith("-");
const isForeignFlag = (word: string): boolean =>
  !isOperand(word) && !word.startsWith(WITH_VALUE) && word !== "--no-color";
