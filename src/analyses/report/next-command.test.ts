import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { sampleReport } from "../../../test/report/sample-report.ts";
import { lacks } from "../../../test/support/platform.ts";
import type { Fact } from "../../results/report.ts";
import { type CommandInput, nextCommand } from "./next-command.ts";

const noShell = lacks("shell", "the next command as a shell takes it");

const FLAGS = ["--rollout", "lp vllm", "--trainer", "it's", "--mask", "m", "--pair", "--steps", "1..5"];
const INPUT: CommandInput = { paths: ["my runs/it's here.npz"], flags: FLAGS, compared: [] };
const fact = (kind: string): Fact[] => [{ kind, text: kind, weight: 2 }];
const evidence = { subject: 30, p: 0.01, factor: 3, interval: null, leave_one_out: { low: 2, high: 4 } };
const worstStep: Fact[] = [{ kind: "worst-step", text: "", weight: 2, evidence }];
const next = (facts: Fact[], input: CommandInput = INPUT, skipped = false) =>
  nextCommand(
    sampleReport(),
    facts,
    skipped ? [{ code: "bad-row", severity: "skipped", message: "", count: 1, at: {} }] : [],
    input,
  );

/** What a shell makes of a command. */
function words(command: string): string[] {
  const script = `logratio() { printf '%s\\n' "$@"; }; ${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).trimEnd().split("\n");
}

describe.skipIf(noShell)("nextCommand", () => {
  it("reads the same input in the same way, whatever it is for", () => {
    for (const { command } of [next([]), next(fact("single-token")), next([], INPUT, true)]) {
      const all = words(command);
      expect(all[1]).toBe("my runs/it's here.npz");
      const from = all.indexOf("--rollout");
      expect(all.slice(from, from + FLAGS.length)).toEqual(FLAGS);
    }
  });

  it("replaces the steps where it asks for others, and does not ask show for a filter", () => {
    expect(words(next(worstStep).command).join(" ")).toMatch(/--mask m --pair --steps 30$/);
    expect(next(worstStep).why).toBe("look at step 30, which stands out, alone");
    expect(next(fact("drift")).command).not.toContain("--steps 30");
    const filtered = { ...INPUT, flags: ["--filter", "abs>0.5", "--mask", "m"] };
    expect(words(next(fact("single-token"), filtered).command)).not.toContain("--filter");
    expect(words(next([], filtered).command)).toContain("abs>0.5");
  });

  it("keeps the trainers that were compared", () => {
    const compared = { ...INPUT, compared: ["verl"] };
    expect(words(next([], compared).command).join(" ")).toContain("--parity verl --html report.html");
  });

  it("names a path once that was given twice", () => {
    const twice = { ...INPUT, paths: ["a.npz", "b.npz", "a.npz"] };
    expect(words(next([], twice).command).slice(0, 4)).toEqual(["report", "a.npz", "b.npz", FLAGS[0]]);
  });

  it("says what - stands for", () => {
    expect(next([], { ...INPUT, paths: ["-"] }).why).toContain("- stands for the same input");
  });
});
