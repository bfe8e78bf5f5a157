import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { sampleReport } from "../../../test/report/sample-report.ts";
import { makeAssessment } from "../../../test/support/assessment.ts";
import { lacks } from "../../../test/support/platform.ts";
import type { Fact } from "../../results/report.ts";
import { type CommandInput, correctCommand, nextCommand } from "./next-command.ts";

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
    expect(next(worstStep).why).toBe("look at step 30 alone, which stands out");
    expect(next(fact("drift")).command).not.toContain("--steps 30");
    const filtered = { ...INPUT, flags: ["--filter", "abs>0.5", "--mask", "m"] };
    expect(words(next(fact("single-token"), filtered).command)).not.toContain("--filter");
    expect(words(next([], filtered).command)).toContain("abs>0.5");
  });

  it("names a path once that was given twice", () => {
    const twice = { ...INPUT, paths: ["a.npz", "b.npz", "a.npz"] };
    expect(words(next([], twice).command).slice(0, 4)).toEqual(["gate", "a.npz", "b.npz", FLAGS[0]]);
  });

  it("asks what was read before anything else where an input was skipped", () => {
    const compared = { ...INPUT, compared: ["verl"] };
    for (const facts of [[], fact("single-token"), worstStep]) {
      const { command, why } = next(facts, compared, true);
      expect(words(command).slice(0, 2)).toEqual(["report", "my runs/it's here.npz"]);
      expect(words(command).join(" ")).toMatch(/--steps 1\.\.5 --parity verl --explain$/);
      expect(why).toBe("some inputs were skipped: see how each file was read");
    }
    const warned = nextCommand(
      sampleReport(),
      [],
      [{ code: "bad-row", severity: "warning", message: "", count: 1, at: {} }],
      INPUT,
    );
    expect(warned.command).not.toContain("--explain");
  });

  it("shows the token that a fact is about, by its handle behind the paths", () => {
    const { command, why } = next([...fact("tail"), ...fact("single-token"), ...worstStep]);
    expect(words(command).slice(0, 4)).toEqual([
      "show",
      "my runs/it's here.npz",
      "s30.r0.q3.t41",
      "--rollout",
    ]);
    expect(why).toMatch(/^that token in its context/);
  });

  it("follows the first of the token and the step that facts name", () => {
    expect(words(next([...worstStep, ...fact("single-token")]).command)[0]).toBe("report");
    const none = nextCommand({ ...sampleReport(), worst_tokens: [] }, fact("single-token"), [], INPUT);
    expect(words(none.command)[0]).toBe("gate");
  });

  it("compares a step with the trainers that the run was compared with", () => {
    const { command } = next(worstStep, { ...INPUT, compared: ["verl", "xtuner"] });
    expect(words(command).join(" ")).toMatch(/--parity verl,xtuner --steps 30$/);
  });

  it("learns what is normal where nothing stands out, whatever the trainers log", () => {
    for (const trainers of [["trl", "verl"], ["xtuner"], []]) {
      const of = (compared: readonly string[]) =>
        nextCommand({ ...sampleReport(), trainers }, fact("drift"), [], { ...INPUT, compared });
      expect(words(of([]).command)).toEqual([
        ...["gate", "my runs/it's here.npz", ...FLAGS],
        ...["--update", "--against", "baseline.yaml"],
      ]);
      expect(of([]).why).toBe("nothing to do; this learns what is normal here, to be told when it changes");
      // A gate compares no figures with a trainer's.
      expect(of(["verl"])).toEqual(of([]));
    }
  });

  it("looks for the cause where something is wrong, unless the input has to be read otherwise first", () => {
    const off = { ...INPUT, isOff: true };
    for (const facts of [[], fact("single-token"), worstStep]) {
      const { command, why } = next(facts, off);
      expect(words(command)).toEqual(["doctor", "my runs/it's here.npz", ...FLAGS]);
      expect(why).toBe("the most likely causes, their evidence and their fixes");
    }
    expect(words(next([], off, true).command)).toContain("--explain");
    expect(next(fact("single-token"), { ...off, isOff: false }).command).toContain(" show ");
  });

  it("shows what differs most where there is too little for a verdict: that teaches no baseline", () => {
    const { command, why } = next([], { ...INPUT, isTooFew: true });
    expect(words(command)).toEqual(["show", "my runs/it's here.npz", "worst", ...FLAGS]);
    expect(why).toMatch(/more steps or prompts would allow a verdict$/);
    expect(words(next([], { ...INPUT, isTooFew: true, isOff: true }).command)[0]).toBe("doctor");
    expect(words(next([], { ...INPUT, isTooFew: true }, true).command)).toContain("--explain");
  });

  it("says what - stands for", () => {
    expect(next([], { ...INPUT, paths: ["-"] }).why).toContain("- means the same input");
    expect(next([]).why).not.toContain("stands for");
  });
});

describe.skipIf(noShell)("correctCommand", () => {
  const correct = (more: Parameters<typeof makeAssessment>[0]) => correctCommand(makeAssessment(more), INPUT);
  const need = (of: "none" | "few" | "all") => ({ correction: { need: of } });

  it("sweeps the same input, read in the same way, where something is wrong that a correction mends", () => {
    for (const level of ["elevated", "high", "broken", "fault"] as const) {
      const { command, why } = correct({ level, ...need("all") })!;
      expect(words(command)).toEqual(["sweep", "my runs/it's here.npz", ...FLAGS]);
      expect(why).toBe("a correction to train with, as a config");
    }
    expect(correct({ level: "high", ...need("few") })!.why).toContain("for the few tokens that need one");
  });

  it("is none where nothing is wrong, too little is known, none is needed, or no figure means anything", () => {
    for (const level of ["none", "normal", "too_few"] as const)
      expect(correct({ level, ...need("all") })).toBeNull();
    expect(correct({ level: "high", ...need("none") })).toBeNull();
    expect(correct({ level: "high", correction: null })).toBeNull();
    const comparable = { is_comparable: false, reason: "shifted", by_shift: [], shift: 1 };
    expect(correct({ level: "not_comparable", comparable, ...need("all") })).toBeNull();
    expect(correct({ level: "broken", comparable, ...need("all") })).toBeNull();
  });

  it("names a path once that was given twice", () => {
    const input = { paths: ["a.npz", "a.npz"], flags: [] };
    expect(correctCommand(makeAssessment({ level: "high", ...need("all") }), input)!.command).toBe(
      "logratio sweep a.npz",
    );
  });
});
