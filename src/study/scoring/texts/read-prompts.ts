import { UsageError } from "../../../core/base/index.ts";
import { type Finding, FindingLog } from "../../../core/schema/index.ts";
import type { StudyText } from "../../analysis/study.ts";
import { columnReader } from "./columns.ts";
import { openPreparation } from "./preparation.ts";
import { readProblems } from "./read-problems.ts";
import type { ReadTextsOptions } from "./read-study-texts.ts";
import { fillTemplate } from "./template.ts";

/** A problem as a prompt, without a response. */
export interface PreparedPrompt
  extends Pick<StudyText, "problem" | "promptText" | "level" | "subject" | "answer"> {
  readonly promptIds: Int32Array;
}

/**
 * The prompts of a list of problems, to sample responses to.
 *
 * @throws UsageError when no tokenizer or no list is given; SchemaError as {@link readStudyTexts}
 */
export async function readPrompts(
  options: Pick<ReadTextsOptions, "tokenizer" | "problems" | "columns" | "promptTemplate" | "limit">,
): Promise<{ readonly prompts: readonly PreparedPrompt[]; readonly findings: readonly Finding[] }> {
  if (options.problems === undefined) {
    throw new UsageError("there are no problems to sample responses to: no file was named");
  }
  const findings = new FindingLog();
  const { tokenizer, template } = await openPreparation(options);
  const prompts: PreparedPrompt[] = [];
  for (const problem of (
    await readProblems(options.problems, columnReader(options.columns ?? {}), findings)
  ).values()) {
    const { id, at, text, level, subject, answer } = problem;
    const promptText = text === undefined ? undefined : fillTemplate(template, text);
    const promptIds =
      problem.promptIds ?? Int32Array.from(promptText === undefined ? [] : tokenizer.encodeStart(promptText));
    if (prompts.length === options.limit) break;
    if (promptIds.length > 0) prompts.push({ problem: id, promptText, promptIds, level, subject, answer });
    else {
      findings.add({
        code: "empty-text",
        severity: "skipped",
        count: 1,
        at,
        describe: (count) =>
          `${count} ${count === 1 ? "problem has" : "problems have"} a prompt without any token`,
      });
    }
  }
  return { prompts, findings: findings.list() };
}
