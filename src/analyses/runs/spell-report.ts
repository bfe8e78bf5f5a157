import type { MismatchReport } from "../../results/report.ts";
import { type EventSpeller, spellEvents } from "../assessment/event-words.ts";
import { makeSpeller } from "../show/speller.ts";

/** @param tokenizer directory with `tokenizer.json`, or that file @throws what opening the tokenizer throws */
export async function openSpeller(tokenizer: string): Promise<EventSpeller> {
  const { openTokenizer, TokenTexts } = await import("../../input/tokens/index.ts");
  return makeSpeller(new TokenTexts(await openTokenizer(tokenizer)));
}

/**
 * The report with the texts of its mistakes.
 *
 * @param open called if a mistake has ids but no text: large tokenizers take a second to open
 */
export async function spellReport(
  report: MismatchReport,
  open: (() => Promise<EventSpeller>) | undefined,
): Promise<MismatchReport> {
  const { events } = report.assessment;
  if (
    open === undefined ||
    ![...events.list, ...events.by_raw].some(({ text, token_id: id }) => text === null && id !== null)
  )
    return report;
  const spelled = spellEvents(events, await open());
  return { ...report, assessment: { ...report.assessment, events: spelled } };
}
