// Lets the built code read almost valid files until the time is over (--time 30s, 10m; default 1m).
//   npm run fuzz -- --seed 7 --time 10m
//   npm run fuzz -- --seed 7 --cases 1500      the same files on every machine
//   npm run fuzz -- --replay test/out/fuzz/FILE
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runnerImport } from "vite";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    time: { type: "string" },
    cases: { type: "string" },
    jobs: { type: "string", default: String(Math.min(4, availableParallelism())) },
    from: { type: "string", default: "0" },
    replay: { type: "string" },
  },
});
const { fuzz, replay } = (await runnerImport(at("../test/fuzz/index.ts"))).module;

function secondsOf(text) {
  const [, count, unit] = /^(\d+)(s|m|h)?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`--time is 30s, 10m or 1h, not ${text}`);
  return Number(count) * { s: 1, m: 60, h: 3600 }[unit ?? "s"];
}

if (values.replay !== undefined) {
  const { problem, tag, cpuSeconds, bytes } = await replay(values.replay);
  console.log(problem === undefined ? `ok: ${tag ?? "it was read"}` : `FAILED: ${problem}`);
  console.log(`${cpuSeconds.toFixed(2)} s of processor time, ${Math.round(bytes / 2 ** 20)} MiB`);
  process.exit(problem === undefined ? 0 : 1);
}

const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const time = values.time ?? (values.cases === undefined ? "1m" : "1h");
const bounds = [`--time ${time}`, ...(values.cases === undefined ? [] : [`--cases ${values.cases}`])];
console.log(`fuzzing with --seed ${seed} ${bounds.join(" ")} --jobs ${values.jobs}`);
const { files, failures, tags, mostSeconds, mostBytes } = await fuzz({
  seed,
  seconds: secondsOf(time),
  ...(values.cases !== undefined && { cases: Number(values.cases) }),
  jobs: Number(values.jobs),
  from: Number(values.from),
  out: at("../test/out/fuzz"),
  tell: (text) => console.log(text),
});
const counted = Object.entries(tags).map(([tag, count]) => `${tag} ${count}`);
console.log(`${files} files: ${counted.join(", ")}`);
console.log(
  `at most ${mostSeconds.toFixed(1)} s of processor time and ${Math.round(mostBytes / 2 ** 20)} MiB for one`,
);
console.log(failures.length === 0 ? "none failed" : `${failures.length} failed`);
process.exit(failures.length === 0 && files > 0 ? 0 : 1);
