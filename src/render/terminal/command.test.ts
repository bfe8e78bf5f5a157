import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { lacks } from "../../../test/support/platform.ts";
import { shellCommand } from "../../core/base/shell-command.ts";
import { drawCommand } from "./command.ts";
import { makeSurface } from "./surface.ts";

const noShell = lacks("shell", "commands that run as they stand");

const makeTestSurface = (width: number, unicode = true) => makeSurface({ width, color: false, unicode });
const words = (command: string): string[] =>
  execFileSync("sh", ["-c", `logratio() { printf '%s\\n' "$@"; }; ${command}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n");

it.skipIf(noShell)("stands beside its reason where there is room", () => {
  expect(drawCommand("next", "logratio report a", "why not", makeTestSurface(60))).toEqual([
    "next       logratio report a  why not",
  ]);
});

it.skipIf(noShell)("is one whole line however narrow the terminal, and runs as it stands", () => {
  const path = `runs/${"long ".repeat(30)}it's`;
  const lines = drawCommand(
    "next",
    shellCommand("report", [path]),
    "a reason of some length",
    makeTestSurface(30),
  );
  expect(lines.length).toBeGreaterThan(1);
  expect(words(lines.at(-1)!)).toEqual(["report", path]);
});

it("names the same file in ASCII", () => {
  const path = "läufe/schritt’1.npz";
  const [line = ""] = drawCommand("next", shellCommand("report", [path]), "", makeTestSurface(200, false));
  expect(line).toMatch(/^[\x20-\x7e]+$/);
  expect(words(line.slice("next".length))).toEqual(["report", path]);
});
