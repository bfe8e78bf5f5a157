import { shellCommand } from "../../core/base/index.ts";
import type { MismatchReport } from "../../results/index.ts";

/** `logratio report` on the folder that holds all files that were read. */
export function repeatCommand({ sources }: MismatchReport): string {
  const [first, ...rest] = sources.map((source) => source.file.split("/"));
  if (first === undefined) return "logratio report .";
  const shared =
    rest.length === 0
      ? first
      : first.slice(0, -1).filter((part, at) => rest.every((path) => isShared(path, first, at, part)));
  return shellCommand("report", [shared.join("/") || (shared.length > 0 ? "/" : ".")]);
}

function isShared(path: readonly string[], first: readonly string[], at: number, part: string): boolean {
  return path[at] === part && first.slice(0, at).every((before, index) => path[index] === before);
}
