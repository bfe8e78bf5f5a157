import { formatPlace } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import type { Entry } from "./document.ts";

/** What was left out or noticed: message, place, cause, what to try next. */
export function findingEntries(findings: readonly Finding[]): Entry[] {
  return findings.map(({ severity, message, at, likely = "", hint = "" }) => {
    const details = [
      ["at", formatPlace(at)],
      ["cause", likely],
      ["try", hint],
    ] as const;
    return {
      level: severity === "info" ? "none" : "elevated",
      word: severity,
      text: message,
      details: details.filter(([, text]) => text !== ""),
    };
  });
}
