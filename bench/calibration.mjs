// Compares the certainty that the tool states with how often it is right, on runs drawn from processes whose truth is
// known. Seeded; runs in this process from the sources, so no build is needed.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";
import { formatTable } from "./support/rounds.mjs";

const PROMPTS = [10, 24, 96, 200];

export async function run({ quick, rounds = quick ? 40 : 400 }) {
  const entry = fileURLToPath(new URL("../test/support/calibration/index.ts", import.meta.url));
  const { CLAIMS, METRICS, PROCESSES, measureCoverage, labProcesses, measureRate } = (
    await runnerImport(entry)
  ).module;

  const percent = (part, whole) => `${((100 * part) / whole).toFixed(0)} %`;
  const table = [["runs drawn from", "prompts", ...METRICS]];
  for (const process of [...PROCESSES, ...(await labProcesses())]) {
    for (const prompts of PROMPTS) {
      const tally = measureCoverage(process, prompts, rounds);
      const cells = METRICS.map((metric) => {
        const { given, covering } = tally[metric];
        return given < rounds / 10 ? "none" : `${percent(covering, given)} of ${percent(given, rounds)}`;
      });
      table.push([process.name, String(prompts), ...cells]);
    }
  }
  const claims = [["claim", "runs drawn from", "rate of", "nominal", "actual"]];
  for (const claim of CLAIMS) {
    const { method, process, rate, nominal } = claim;
    claims.push([method, process, rate, percent(nominal, 1), percent(measureRate(claim, rounds), 1)]);
  }
  console.log(`${formatTable(table)}\n\n${formatTable(claims)}`);
  return {
    caption: `Coverage of 95 % intervals, of ${rounds} runs`,
    table,
    claims,
    notes: [
      "`94 % of 88 %`: 88 % of the runs have an interval, and 94 % of those hold the truth; `none`: fewer than 10 % have one.",
    ],
  };
}
