import { shellCommand } from "../../core/base/index.ts";
import type { DoctorReport } from "../../results/doctor.ts";

/** The user's input, repeated in the commands that look into the run. */
export interface DoctorInput {
  readonly paths: readonly string[];
  /** Flags that choose what is read, word by word. */
  readonly flags: readonly string[];
}

export interface DoctorCommands {
  show(handle: string): string;
}

/** @param input default: the files that were read */
export function makeCommands({ sources }: DoctorReport, input?: DoctorInput): DoctorCommands {
  const paths = input?.paths ?? sources.map(({ file }) => file);
  // `show` finds one sequence; a filter would only hide its other tokens.
  const flags = withoutFlag(input?.flags ?? [], "--filter");
  return { show: (handle) => shellCommand("show", [...paths, handle], flags) };
}

function withoutFlag(flags: readonly string[], flag: string): readonly string[] {
  const at = flags.indexOf(flag);
  return at < 0 ? flags : flags.toSpliced(at, 2);
}
