// node scripts/score-doctor.mjs CASES [--markdown] [--predictions FILE] [-- COMMAND…]: asks `logratio doctor --json` about
// every case of a folder (CASE/data, CASE/truth.json) and compares its answers with the truth: first and third guess,
// false alarms, the guilty leg, and stated probabilities compared with frequencies. COMMAND is the CLI, by default this
// checkout's bin/logratio.js. --predictions keeps the answers, and reuses existing ones.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const BINS = 10;

/** The doctor's answer in the terms of the score: causes in order, whether it called the run sound, the leg. */
export function readAnswer(report) {
  const named = report.causes
    .filter(({ id }) => id !== "healthy")
    .map(({ id, probability }) => ({ id, probability }));
  const unsure = report.verdict === "cannot_tell" || report.verdict === "too_few";
  const ranked = named.map(({ id }) => id);
  return {
    verdict: report.verdict,
    ranked: unsure && ranked[0] !== "cannot_tell" ? ["cannot_tell", ...ranked] : ranked,
    // A run that is too short to judge is not called faulty.
    healthy: report.verdict === "healthy" || report.verdict === "too_few",
    guilty_leg: report.guilty_leg,
    // Causes that the report names together, with the probability that it is one of them.
    alike: report.alike ?? null,
    probabilities: Object.fromEntries(report.causes.map(({ id, probability }) => [id, probability])),
  };
}

/** Compares one case with its truth. */
export function judgeCase(truth, answer) {
  const right = new Set([...truth.causes, ...truth.acceptable]);
  const [first] = answer.ranked;
  const spoke = !answer.healthy;
  return {
    kind: truth.healthy ? "healthy" : truth.identifiable ? "faulty" : "hidden",
    top1: spoke && right.has(first),
    top3: spoke && answer.ranked.slice(0, 3).some((id) => right.has(id)),
    strict: spoke && truth.causes.includes(first),
    falseAlarm:
      truth.healthy && spoke && !((truth.grey || !truth.identifiable) && truth.acceptable.includes(first)),
    honest: answer.healthy || first === "cannot_tell" || right.has(first),
    leg: truth.guilty_leg === null ? null : answer.guilty_leg === truth.guilty_leg,
  };
}

/** Stated probabilities in equal bins: their number, their mean, and how often they came true. */
export function binProbabilities(pairs, bins = BINS) {
  const sums = Array.from({ length: bins }, () => ({ count: 0, stated: 0, came: 0 }));
  for (const { probability, isTrue } of pairs) {
    const bin = sums[Math.min(bins - 1, Math.floor(probability * bins))];
    bin.count++;
    bin.stated += probability;
    bin.came += isTrue ? 1 : 0;
  }
  return sums.map(({ count, stated, came }, index) => ({
    from: index / bins,
    to: (index + 1) / bins,
    count,
    stated: count > 0 ? stated / count : null,
    frequency: count > 0 ? came / count : null,
  }));
}

/** The mean distance between stated probability and frequency, weighted by their number. */
export function calibrationError(table) {
  const total = table.reduce((sum, { count }) => sum + count, 0);
  const off = table.reduce(
    (sum, { count, stated, frequency }) => sum + (count && count * Math.abs(stated - frequency)),
    0,
  );
  return total > 0 ? off / total : 0;
}

/** All figures of a folder. `cases`: `{name, truth, answer}`; `families`: cause → family. */
export function scoreCases(cases, families) {
  const judged = cases.map((one) => ({ ...one, ...judgeCase(one.truth, one.answer) }));
  const count = (list, test) => list.filter(test).length;
  const of = (kind) => judged.filter((one) => one.kind === kind);
  const faulty = of("faulty");
  const legs = judged.filter(({ leg }) => leg !== null);
  const family = ({ truth, answer }) =>
    !answer.healthy && truth.causes.some((cause) => families[cause] === families[answer.ranked[0]]);
  const causes = [...new Set(faulty.map(({ truth }) => truth.cause))].sort();
  return {
    faulty: faulty.length,
    top1: count(faulty, ({ top1 }) => top1),
    top3: count(faulty, ({ top3 }) => top3),
    strict: count(faulty, ({ strict }) => strict),
    family: count(faulty, family),
    missed: count(faulty, ({ answer }) => answer.healthy),
    healthy: of("healthy").length,
    falseAlarms: count(judged, ({ falseAlarm }) => falseAlarm),
    hidden: of("hidden").length,
    honest: count(of("hidden"), ({ honest }) => honest),
    legs: legs.length,
    rightLegs: count(legs, ({ leg }) => leg),
    perCause: causes.map((cause) => {
      const part = faulty.filter(({ truth }) => truth.cause === cause);
      return {
        cause,
        cases: part.length,
        top1: count(part, ({ top1 }) => top1),
        top3: count(part, ({ top3 }) => top3),
      };
    }),
    first: binProbabilities(pairFirst(judged)),
    every: binProbabilities(pairEvery(judged)),
    wrong: judged
      .filter(
        (one) =>
          one.falseAlarm || (one.kind === "faulty" && !one.top1) || (one.kind === "hidden" && !one.honest),
      )
      .map(({ name, truth, answer }) => ({
        name,
        truth: `${truth.causes.join(" + ")} (${truth.severity})`,
        said: answer.healthy ? answer.verdict : answer.ranked.slice(0, 3).join(", "),
      })),
  };
}

/** The probability of the first answer (healthy included; with the causes that the report names with it), and whether an expert would accept it. */
function pairFirst(judged) {
  return judged.map(({ truth, answer }) => {
    const stated = Object.entries(answer.probabilities).sort((a, b) => b[1] - a[1]);
    // The report's first cause; its group may have put it before a likelier one.
    const [id, own] = stated.find(([each]) => each === answer.alike?.causes[0]) ?? stated[0] ?? ["", 0];
    const probability = answer.alike?.causes.includes(id) ? answer.alike.probability : own;
    const right = truth.healthy
      ? id === "healthy" || ((truth.grey || !truth.identifiable) && truth.acceptable.includes(id))
      : truth.causes.includes(id) ||
        truth.acceptable.includes(id) ||
        (!truth.identifiable && id === "healthy");
    return { probability, isTrue: right };
  });
}

/** Every stated probability of an identifiable case, and whether that very cause was injected. */
function pairEvery(judged) {
  return judged
    .filter(({ truth }) => truth.identifiable)
    .flatMap(({ truth, answer }) =>
      Object.entries(answer.probabilities).map(([id, probability]) => ({
        probability,
        isTrue: truth.causes.includes(id),
      })),
    );
}

const share = (part, whole) =>
  whole === 0 ? "–" : `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;

/** The figures as Markdown. */
export function printScore(score) {
  const lines = [
    "| figure | cases |",
    "|---|---:|",
    `| first guess right | ${share(score.top1, score.faulty)} |`,
    `| right cause among the first three | ${share(score.top3, score.faulty)} |`,
    `| first guess is the injected cause itself | ${share(score.strict, score.faulty)} |`,
    `| first guess in the right family | ${share(score.family, score.faulty)} |`,
    `| faulty run called healthy | ${share(score.missed, score.faulty)} |`,
    `| false alarm on a healthy run | ${share(score.falseAlarms, score.healthy)} |`,
    `| honest about a fault that the data do not show | ${share(score.honest, score.hidden)} |`,
    `| guilty leg right | ${share(score.rightLegs, score.legs)} |`,
    "",
    ...printBins("first answer", score.first),
    "",
    ...printBins("every cause", score.every),
    "",
    "| cause | cases | first | first three |",
    "|---|---:|---:|---:|",
    ...score.perCause.map(
      ({ cause, cases, top1, top3 }) => `| \`${cause}\` | ${cases} | ${top1} | ${top3} |`,
    ),
    "",
    "| case | injected | said |",
    "|---|---|---|",
    ...score.wrong.map(({ name, truth, said }) => `| ${name} | ${truth} | ${said} |`),
  ];
  return `${lines.join("\n")}\n`;
}

function printBins(name, table) {
  const cell = (value) => (value === null ? "–" : value.toFixed(2));
  return [
    `| ${name}: stated | number | mean stated | came true |`,
    "|---|---:|---:|---:|",
    ...table.map(
      ({ from, to, count, stated, frequency }) =>
        `| ${from.toFixed(1)} to ${to.toFixed(1)} | ${count} | ${cell(stated)} | ${cell(frequency)} |`,
    ),
    "",
    `Mean distance of stated from come true: ${calibrationError(table).toFixed(3)}.`,
  ];
}

function askDoctor(command, folder) {
  const [program, ...rest] = command;
  const { stdout, stderr, status } = spawnSync(program, [...rest, "doctor", folder, "--json"], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  try {
    return readAnswer(JSON.parse(stdout));
  } catch {
    throw new Error(`${folder}: the doctor exited with ${status}: ${stderr.slice(0, 500)}`);
  }
}

function main() {
  const cut = process.argv.indexOf("--");
  const own = process.argv.slice(2, cut < 0 ? undefined : cut);
  const command = cut < 0 ? [process.execPath, join(ROOT, "bin/logratio.js")] : process.argv.slice(cut + 1);
  const kept = own.includes("--predictions") ? own[own.indexOf("--predictions") + 1] : undefined;
  const folder = own[0];
  const families = {};
  const answers = kept !== undefined && existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : {};
  const cases = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "truth.json")))
    .sort()
    .map((name) => {
      if (answers[name] === undefined) {
        answers[name] = askDoctor(command, join(folder, name, "data"));
        if (kept !== undefined) writeFileSync(kept, JSON.stringify(answers));
      }
      return {
        name,
        truth: JSON.parse(readFileSync(join(folder, name, "truth.json"), "utf8")),
        answer: answers[name],
      };
    });
  const list = [join(folder, "causes.json"), join(folder, "../causes.json")].find(existsSync);
  for (const { id, family } of list ? JSON.parse(readFileSync(list, "utf8")).causes : [])
    families[id] = family;
  const score = scoreCases(cases, families);
  process.stdout.write(own.includes("--json") ? `${JSON.stringify(score, null, 2)}\n` : printScore(score));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
