/**
 * `logratio PATH…`: paths without a verb mean a report. A verb takes precedence over a file with its name.
 *
 *     argv ─► flags of the program ─► first word ─┬─ a verb ──────────────► as it stands, and a note if it is a file, too
 *                                                 ├─ a path, or like one ─► report before it
 *                                                 └─ else ────────────────► as it stands: commander knows what is near
 *
 * @module
 */

export const IMPLIED_VERB = "report";

/** A flag of the program, not of a verb, whose value is the next word. */
const WITH_VALUE = "--color";
/** Characters that no verb contains: a separator, a scheme, a pattern, an extension, a home; or standard input. */
const LIKE_A_PATH = /[\\/*?[\]{}.:~]|^-$/;

export interface ImpliedVerb {
  readonly argv: readonly string[];
  /** Shown if a file has the same name as the verb. */
  readonly note?: string;
}

/**
 * The command line with its verb.
 *
 * @param exists whether there is a file or directory with this name
 */
export function implyVerb(
  argv: readonly string[],
  verbs: readonly string[],
  exists: (name: string) => boolean,
): ImpliedVerb {
  const at = argv.findIndex((word, index) => isOperand(word) && argv[index - 1] !== WITH_VALUE);
  const word = argv[at];
  // Flags of a verb before any word: it is not known which verb they belong to.
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
