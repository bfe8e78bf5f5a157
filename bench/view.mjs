// How fast the viewer shows a long sequence: the built page in headless Chromium, one generated sequence per run.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { writeLongRun } from "./support/long-run.mjs";
import { formatTable, median } from "./support/rounds.mjs";
import { measureFilters, measureFollowing, measureRows } from "./support/view-data.mjs";
import { BUDGETS, MEASURE_TITLES, measureSequence } from "./support/view-measures.mjs";
import { startView } from "./support/view-server.mjs";

const LENGTHS = [25_000, 100_000];
const TOKENIZER = fileURLToPath(new URL("../examples/demo/tokenizer", import.meta.url));
const BROWSERS = [process.env.LOGRATIO_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];

export async function run({ quick, rounds = quick ? 2 : 7 }) {
  const executablePath = BROWSERS.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined)
    throw new Error("there is no chromium: apt-get install chromium, or set LOGRATIO_CHROMIUM");
  const folder = mkdtempSync(join(tmpdir(), "bench-view-"));
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const servers = [];
  try {
    for (const tokens of LENGTHS) {
      const path = join(folder, `${tokens}.jsonl`);
      writeLongRun(path, tokens);
      servers.push(await startView([path, "--tokenizer", TOKENIZER, "--cache", join(folder, "cache")]));
    }
    const measured = LENGTHS.map(() => []);
    // The first round does not count.
    for (let round = -1; round < rounds; round++) {
      for (const [at, { url }] of servers.entries()) {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        const measures = await measureSequence(page, url);
        await page.close();
        if (round >= 0) measured[at].push(measures);
      }
    }
    const following = await measureFollowing(folder, quick ? 5 : 20);
    const filters = await measureFilters(folder, { tokenizer: TOKENIZER, rounds, start: startView });
    const rows = await measureRows(rounds);
    return report({
      rounds,
      measured,
      version: browser.version(),
      notes: notesOf({ following, filters, rows }),
    });
  } finally {
    await browser.close();
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function notesOf({ following: { steps, written, followed, whole }, filters, rows }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const each = filters.map(
    ({ filter, median: ms, worst }) => `\`${filter}\` ${ms.toFixed(0)} ms (worst ${worst.toFixed(0)})`,
  );
  return [
    `--follow: ${steps} steps of ${megabytes(written / steps)} that arrive one after the other cost ${megabytes(followed)} of reading, against ${megabytes(whole)} when all is read at each (${(whole / followed).toFixed(1)} times as much)`,
    `filters on tokens (\`api/match\`) over 1,000,000 tokens, medians: ${each.join(", ")}`,
    `a filter of three terms over the table of 100,000 sequences: ${rows.toFixed(1)} ms`,
  ];
}

function report({ rounds, measured, version, notes }) {
  const figure = (samples, name, of) => of(samples.map((measures) => measures[name])).toFixed(0);
  const worst = (values) => Math.max(...values);
  const table = [
    ["", ...LENGTHS.flatMap((tokens) => [`${tokens.toLocaleString("en")} tokens`, "worst"]), "budget"],
    ...Object.entries(MEASURE_TITLES).map(([name, title]) => [
      title,
      ...measured.flatMap((samples) => [figure(samples, name, median), figure(samples, name, worst)]),
      BUDGETS[name] === undefined ? "" : String(BUDGETS[name]),
    ]),
  ];
  const caption = `Chromium ${version}, headless, 1280 × 900; medians and worst of ${rounds} rounds, each in a new page`;
  console.log(`${caption}\n\n${formatTable(table)}\n\n${notes.join("\n")}`);
  return { rounds, caption, table, measured, notes };
}
