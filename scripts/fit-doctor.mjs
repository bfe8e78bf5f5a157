// node scripts/fit-doctor.mjs CASES… [--keep N] [--write]: fits the distribution of a shape's numbers under each cause to
// recordings with known faults (folders of `case-NNN/data` and `truth.json`, as lab/ makes them). Prints how often only
// the profiles would be right, leaving each recording out of the fit that judges it. --write replaces
// src/analyses/doctor/judge/profiles.ts. --keep adds to the present profiles, each of which counts as N recordings of its
// cause: for a few recordings of another model.
// Needs `npm run build`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { positionals: folders, values: flags } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean", default: false }, keep: { type: "string" } },
});
if (folders.length === 0) {
  console.error("usage: node scripts/fit-doctor.mjs CASES… [--keep N] [--write]");
  process.exit(2);
}

/** What the present profiles say of a number, as so many recordings; none of them without --keep. */
const kept = flags.keep === undefined ? 0 : Number(flags.keep);
if (flags.keep !== undefined && !(kept > 0)) {
  console.error(`--keep must be a number above 0, not ${flags.keep}`);
  process.exit(2);
}

const built = (path) => import(new URL(`../dist/${path}.js`, import.meta.url).href);
const { openRun } = await built("ingest/index");
const { clusterKeys } = await built("analyses/report/cluster-keys");
const { RowSample } = await built("analyses/doctor/sample/row-sample");
const { takeRow } = await built("analyses/doctor/sample/row");
const { View } = await built("analyses/doctor/sample/view");
const { examineView } = await built("analyses/doctor/examine");
const { BACKGROUND, PROFILES } = await built("analyses/doctor/judge/profiles");
const { spreadKin } = await built("analyses/doctor/judge/kin");
const { logDensity, MOST, SHARE } = await built("analyses/doctor/judge/likeness");

/**
 * The numbers that profiles are made of, with lower bounds of their spreads: a few recordings may agree more closely than
 * their number justifies. Left out is what differs between a tiny model and a real one whatever the fault, because it follows
 * how sure the model is: noise on logits, slope and scatter of logits, shares of surprised tokens. Without these five, the
 * log-likelihood of recordings left out of the fit rises from -0.59 to -0.45, of SmolLM2 with other prompts from -1.5 to -0.5.
 */
// biome-ignore format: a table
const LEAST_SPREAD = {
  asymmetry: 0.12, concentration: 0.15, positive: 0.08, early: 0.15, position: 0.15, prefixTrainer: 0.3,
  prefixRollout: 0.3, packing: 0.1, promptLength: 0.2, advantage: 0.2, alongTrainer: 0.2, rowSpread: 0.1, byToken: 0.08, byPair: 0.1,
  byPrompt: 0.02, neighbors: 0.06, sureness: 0.06, turnStarts: 0.15, copied: 0.12,
};
/** The prior for a cause's spread is 0.6 of all faults' spread, with the weight of 1.5 recordings. */
const [PRIOR_CASES, PRIOR_SPREAD] = [1.5, 0.6];
const BACKGROUND_WIDER = 1.2;
/** Below this, in nats, most of Δ is the engine's noise. */
const LEAST_MEAN_ABS = 1.8e-3;

const names = Object.keys(LEAST_SPREAD);
const kinOf = new Map(
  Object.keys(PROFILES).flatMap((kin) => spreadKin(kin).map(({ cause }) => [cause, kin])),
);

async function readShape(folder) {
  const run = await openRun([join(folder, "data")], { keepOdd: true });
  const sample = new RowSample();
  for await (const batch of run.batches()) {
    const { keys, arePrompts } = clusterKeys(batch);
    for (let i = 0; i < batch.length; i++)
      sample.add(keys[i], takeRow(batch, i, keys[i], arePrompts[i] === 1));
  }
  return examineView(new View(sample.list())).shape;
}

async function* readRecordings() {
  for (const folder of folders)
    for (const name of readdirSync(folder)
      .filter((entry) => entry.startsWith("case-"))
      .sort()) {
      const truth = JSON.parse(readFileSync(join(folder, name, "truth.json"), "utf8"));
      const isClear =
        truth.causes.length === 1 &&
        truth.identifiable &&
        kinOf.has(truth.cause) &&
        truth.measured.mean_abs_delta > LEAST_MEAN_ABS;
      if (isClear) yield { kin: kinOf.get(truth.cause), truth, shape: await readShape(join(folder, name)) };
    }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const spread = (values, center) => Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
const column = (recordings, name) =>
  recordings.map(({ shape }) => shape[name]).filter((value) => !Number.isNaN(value));

function addToKept([center, spread], weight, least, values) {
  const own = Math.max(0, spread ** 2 - least ** 2);
  const count = weight + values.length;
  const middle = (weight * center + values.reduce((sum, value) => sum + value, 0)) / count;
  const squares = values.reduce(
    (sum, value) => sum + (value - middle) ** 2,
    weight * (own + (center - middle) ** 2),
  );
  return [middle, Math.hypot(Math.sqrt(squares / count), least)];
}

function extendProfiles(recordings) {
  const groups = groupByKin(recordings);
  return Object.fromEntries(
    Object.entries(PROFILES).map(([kin, profile]) => [
      kin,
      Object.fromEntries(
        names.flatMap((name) => {
          const place = profile[name];
          if (place === undefined) return [];
          return [[name, addToKept(place, kept, LEAST_SPREAD[name], column(groups.get(kin) ?? [], name))]];
        }),
      ),
    ]),
  );
}

function extendBackground(recordings) {
  const weight = kept * Object.keys(PROFILES).length;
  return Object.fromEntries(
    names.map((name) => {
      const [center, wide] = BACKGROUND[name];
      const place = [center, (wide - LEAST_SPREAD[name]) / BACKGROUND_WIDER];
      const [middle, spread] = addToKept(place, weight, 0, column(recordings, name));
      return [name, [middle, BACKGROUND_WIDER * spread + LEAST_SPREAD[name]]];
    }),
  );
}

function fitBackground(recordings) {
  if (kept > 0) return extendBackground(recordings);
  return Object.fromEntries(
    names.map((name) => {
      const values = column(recordings, name);
      const center = mean(values);
      return [name, [center, BACKGROUND_WIDER * spread(values, center) + LEAST_SPREAD[name]]];
    }),
  );
}

function fitProfiles(recordings) {
  if (kept > 0) return extendProfiles(recordings);
  const profiles = {};
  for (const [kin, own] of groupByKin(recordings)) {
    profiles[kin] = {};
    for (const name of names) {
      const values = column(own, name);
      if (values.length < 2) continue;
      const all = column(recordings, name);
      const prior = PRIOR_CASES * (PRIOR_SPREAD * spread(all, mean(all))) ** 2;
      const center = mean(values);
      const squares = values.reduce((sum, value) => sum + (value - center) ** 2, prior);
      const variance = squares / (values.length - 1 + PRIOR_CASES);
      profiles[kin][name] = [center, Math.hypot(Math.sqrt(variance), LEAST_SPREAD[name])];
    }
  }
  return profiles;
}

/** Map.groupBy came with Node 21. */
function groupByKin(recordings) {
  const groups = new Map();
  for (const each of recordings) groups.set(each.kin, [...(groups.get(each.kin) ?? []), each]);
  return groups;
}

function rank(profiles, background, shape) {
  const score = (profile) =>
    Object.entries(profile).reduce((sum, [name, place]) => {
      if (Number.isNaN(shape[name])) return sum;
      const ratio = logDensity(shape[name], place) - logDensity(shape[name], background[name]);
      return sum + SHARE * Math.max(-MOST, Math.min(MOST, ratio));
    }, 0);
  return Object.entries(profiles)
    .map(([kin, profile]) => ({ kin, score: score(profile) }))
    .sort((x, y) => y.score - x.score)
    .map(({ kin }) => kin);
}

const recordings = [];
for await (const recording of readRecordings()) recordings.push(recording);
let [first, firstThree] = [0, 0];
for (const recording of recordings) {
  const others = recordings.filter((each) => each !== recording);
  const ranked = rank(fitProfiles(others), fitBackground(others), recording.shape);
  const right = new Set([recording.truth.cause, ...recording.truth.acceptable].map((id) => kinOf.get(id)));
  if (right.has(ranked[0])) first++;
  if (ranked.slice(0, 3).some((kin) => right.has(kin))) firstThree++;
}
console.log(
  `${recordings.length} recordings: first ${first}, among the first three ${firstThree}, each left out`,
);

const write = (profile) =>
  Object.entries(profile)
    .map(([name, place]) => `  ${name}: [${place.map((value) => Number(value.toPrecision(3))).join(", ")}],`)
    .join("\n");
if (flags.write) {
  const file = new URL("../src/analyses/doctor/judge/profiles.ts", import.meta.url);
  const head = /^[\s\S]*?(?=\/\*\* Over all faults together)/.exec(readFileSync(file, "utf8"))[0];
  const fitted = Object.entries(fitProfiles(recordings)).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(
    file,
    `${head}/** Over all faults together. */\nexport const BACKGROUND: Profile = {\n${write(fitBackground(recordings))}\n};\n\n` +
      `export const PROFILES: Readonly<Record<string, Profile>> = {\n${fitted
        .map(([kin, profile]) => `  ${kin}: {\n${write(profile)}\n  },`)
        .join("\n")}\n};\n`,
  );
}
