import type { MismatchReport } from "../../../results/report.ts";
import { formatLine } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Says what has changed in a run that is followed: each alarm once.
 *
 * @param told alarms that were said before, by their sentences
 */
export function tellAlarms(
  { watch }: Pick<MismatchReport, "watch">,
  terminal: Terminal,
  told: Set<string>,
): void {
  for (const { test, text } of watch.alarms) {
    // What is found later may move the change point: that is not a second alarm.
    if (told.has(test)) continue;
    told.add(test);
    terminal.err(formatLine(`alarm: ${text}`));
  }
}
