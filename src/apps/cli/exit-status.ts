import type { ErrorTag } from "../../core/base/index.ts";

/** What the process tells the shell. */
export const EXIT = {
  fine: 0,
  checkFailed: 1,
  usage: 2,
  unreadable: 3,
  skipped: 4,
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

export function chooseExitStatus(tag: ErrorTag): ExitStatus {
  return tag === "UsageError" ? EXIT.usage : EXIT.unreadable;
}
