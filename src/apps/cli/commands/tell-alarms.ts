import type { MismatchReport } from "../../../results/report.ts";
import { formatLine } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Reports what has changed in a followed run: each alarm once.
 *
 * @param told the sentences of alarms already reported
 */
export function tellAlarms(
  { watch }: Pick<MismatchReport, "watch">,
  terminal: Terminal,
  told: Set<string>,
): void {
  for (const { test, text } of watch.alarms) {
    // Later data may move the change point: that is not a second alarm.
    if (told.has(test)) continue;
    told.add(test);
    terminal.err(formatLine(`alarm: ${text}`));
  }
}
