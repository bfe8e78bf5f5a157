// Scores what a tool said of runs whose faults are known. A tool with words of its own is scored by what it claims
// (CLAIMS), and always in its favour: a diagnosis that names several causes is right if one of them is.
import { judgeCase } from "../../scripts/score-doctor.mjs";

/** What the tools call a finding that asks for action; below it is information. */
const ALARMS = new Set(["warn", "warning", "error", "critical"]);

/** The causes that count as right: the injected ones, and those that an expert accepts. */
const rightCauses = (truth) => new Set([...truth.causes, ...truth.acceptable]);

/**
 * A tool's findings as an answer of the score.
 *
 * @param findings `{id, level}` in the tool's order, worst first
 * @param claims what its diagnoses mean, by id
 * @throws Error for a diagnosis without a claim, since leaving it out would flatter or harm the tool
 */
export function answerOf(findings, claims, truth) {
  const right = rightCauses(truth);
  const alarms = findings
    .filter(({ level }) => ALARMS.has(level))
    .map(({ id }) => {
      if (claims[id] === undefined) throw new Error(`no claim says what the diagnosis ${id} means`);
      return claims[id];
    });
  const spoken = alarms.filter(
    ({ about, causes }) =>
      about === "mismatch" || (about === "precision" && causes.some((id) => right.has(id))),
  );
  return {
    ranked: spoken.map(({ causes }) => causes.find((id) => right.has(id)) ?? causes[0] ?? "cannot_tell"),
    healthy: spoken.length === 0,
    guilty_leg: null,
    size: spoken[0]?.causes.length ?? 0,
  };
}

/** Whether a tool with these claims has a word for what is wrong in this run. */
function names(claims, truth) {
  const right = rightCauses(truth);
  return Object.values(claims).some(({ causes }) => causes.some((id) => right.has(id)));
}

const spoke = ({ answer }) => !answer.healthy;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/**
 * Counts over runs.
 *
 * @param runs `{truth, answer, cpu}`; `cpu` in seconds
 * @param claims those of the tool whose faults `named` counts, by default all
 * @returns numbers of runs: `sound` and `faulty`, with an alarm in `falseAlarms` and `alarms`, the first cause right in
 *   `right`; `named` and `namedRight`, of the faults that the claims name. Means: `size`, the causes that the first alarm
 *   on a faulty run names (1 where the answer does not say); `cpu`, seconds
 */
export function score(runs, claims) {
  const judged = runs.map((run) => ({
    ...run,
    ...judgeCase(run.truth, run.answer),
    isNamed: claims === undefined || names(claims, run.truth),
  }));
  const count = (list, test) => list.filter(test).length;
  const sound = judged.filter(({ kind }) => kind === "healthy");
  const faulty = judged.filter(({ kind }) => kind === "faulty");
  const named = faulty.filter(({ isNamed }) => isNamed);
  return {
    sound: sound.length,
    falseAlarms: count(sound, ({ falseAlarm }) => falseAlarm),
    faulty: faulty.length,
    alarms: count(faulty, spoke),
    right: count(faulty, ({ top1 }) => top1),
    named: named.length,
    namedRight: count(named, ({ top1 }) => top1),
    size: mean(faulty.filter(spoke).map(({ answer }) => answer.size ?? 1)),
    cpu: mean(judged.map(({ cpu }) => cpu)),
  };
}
