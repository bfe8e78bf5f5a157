/**
 * Leaves texts of a study out, by whether they are right or by whether policies solve their problems.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import { type Finding, FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { StudySpec } from "./study-spec.ts";
import { type Outcomes, OutcomeVotes, readOutcomeFiles } from "./texts/outcomes.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

interface Selected {
  readonly texts: readonly PreparedText[];
  /** What was left out, counted by reason. */
  readonly findings: readonly Finding[];
}

/** Why a text is left out: which texts these are, and what would help if that is unknown. */
interface Reason {
  readonly which: string;
  readonly hint?: string;
}

/**
 * Keeps the texts that `only_wrong` and `only_outcomes` select.
 *
 * @throws UsageError when the outcomes of a policy in `only_outcomes` are unknown
 */
export async function selectTexts(
  texts: readonly PreparedText[],
  { texts: { onlyWrong, onlyOutcomes }, outcomes }: Pick<StudySpec, "texts" | "outcomes">,
): Promise<Selected> {
  const wrong = onlyWrong ? keep(texts, "--only-wrong", whyNotWrong) : { texts, findings: [] };
  if (onlyOutcomes === undefined) return wrong;
  const known = await readKnown(texts, outcomes);
  const wanted = Object.entries(onlyOutcomes);
  for (const [policy] of wanted) if (!known.has(policy)) throw noOutcomes(policy, [...known.keys()]);
  const kept = keep(wrong.texts, "--only-outcomes", ({ problem }) => {
    for (const [policy, outcome] of wanted) {
      const solved = known.get(policy)!.get(problem);
      if (solved === undefined)
        return {
          which: `without a known outcome of ${policy}`,
          hint: `give outcomes that cover all problems: --outcomes ${policy}=FILE`,
        };
      if (solved !== (outcome === "right"))
        return { which: `whose problem ${policy} ${solved ? "solves" : "does not solve"}` };
    }
    return undefined;
  });
  return { texts: kept.texts, findings: [...wrong.findings, ...kept.findings] };
}

function whyNotWrong({ correct }: PreparedText): Reason | undefined {
  if (correct === false) return undefined;
  return correct
    ? { which: "known to be right" }
    : { which: "not known to be wrong", hint: "give the texts a column correct, or the problems an answer" };
}

function keep(
  texts: readonly PreparedText[],
  flag: string,
  whyNot: (text: PreparedText) => Reason | undefined,
): Selected {
  const log = new FindingLog();
  const kept = texts.filter((text) => {
    const reason = whyNot(text);
    if (reason === undefined) return true;
    const { which, hint } = reason;
    log.add({
      code: "note",
      severity: hint === undefined ? "info" : "warning",
      count: 1,
      subject: `${flag} ${which}`,
      at: text.at,
      describe: (count) =>
        `${plural(count, "text")} ${which} ${count === 1 ? "was" : "were"} left out by ${flag}`,
      ...(hint !== undefined && { hint }),
    });
    return false;
  });
  return { texts: kept, findings: log.list() };
}

/** Outcomes by policy: from files, else from whether its own responses among the texts are right. */
async function readKnown(
  texts: readonly PreparedText[],
  files: StudySpec["outcomes"],
): Promise<ReadonlyMap<string, Outcomes>> {
  const own = new OutcomeVotes();
  for (const { source, problem, correct } of texts)
    if (source !== undefined) own.add(source, problem, correct);
  return new Map([...own.decide(), ...(await readOutcomeFiles(files))]);
}

function noOutcomes(policy: string, known: readonly string[]): UsageError {
  const names = known.filter((name) => name !== "");
  return new UsageError(`--only-outcomes needs outcomes of ${policy}, and there are none`, {
    likely:
      names.length > 0
        ? `there are outcomes of ${names.join(", ")}`
        : known.length > 0
          ? "the file of outcomes does not say whose they are"
          : "no file of outcomes was given, and the texts are not known to be right or wrong",
    hint: `say which problems it solves: --outcomes ${policy}=FILE`,
  });
}
