import { UsageError } from "../../../core/base/index.ts";

/** The placeholder for a problem's text in a template. */
const PLACE = "{problem}";

export const DEFAULT_TEMPLATE = PLACE;

/**
 * The prompt of the original study (RL-Probe, `DataPreprocessor` in `src/data/preprocessor.py` at 324de8ce): Tulu's turns
 * and a request for a boxed answer.
 */
export const RL_PROBE_TEMPLATE = `<|user|>\n${PLACE}\n\nPlease solve this problem step by step and provide your final answer in LaTeX format using \\boxed{answer}.\n<|assistant|>\n`;

/** @throws UsageError when the template has no placeholder for the problem */
export function checkTemplate(template: string): string {
  if (template.includes(PLACE)) return template;
  throw new UsageError(`the prompt template has no ${PLACE}: ${JSON.stringify(template.slice(0, 60))}`, {
    hint: `write ${PLACE} where the problem's text belongs`,
  });
}

export function fillTemplate(template: string, problem: string): string {
  return template.split(PLACE).join(problem);
}
