import { formatPlace } from "../../core/base/index.ts";
import type { KlReport } from "../../results/index.ts";

/** What was left out or noticed, a line each: severity, message, place, cause, what to try. */
export function findingLines({ findings }: KlReport): string[] {
  return findings.map(({ severity, message, at, likely, hint }) => {
    const place = formatPlace(at);
    return [
      `${severity}: ${message}`,
      ...(place === "" ? [] : [`at ${place}`]),
      ...(likely === undefined ? [] : [`likely ${likely}`]),
      ...(hint === undefined ? [] : [`try: ${hint}`]),
    ].join("; ");
  });
}
