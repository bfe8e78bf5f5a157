// npm run build, then node scripts/cause-pictures.mjs: draws docs/causes/images/<id>.svg from lab/pictures.json, which
// `python -m faultlab.pictures` computes from one run with that fault and a sound one. With --check it writes nothing
// and fails if a picture differs from what it would draw.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { groupedBars, lineChart } from "../dist/render/charts/index.js";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const FOLDER = join(ROOT, "docs/causes/images");
const WIDTH = 560;
const COLORS = ["orange", "blue", "grey"];
const MOST_BYTES = 8_000;
/** The most points that are marked one by one. */
const MOST_MARKED = 16;

/**
 * The SVG of one picture, for use as an image: without parts that react to a pointer, with colors that no page sets,
 * and with many points drawn as a line. GitHub shows images on white or on black, so it has its own background.
 */
function drawPicture(picture) {
  const text = (picture.kind === "bars" ? drawBars(picture) : drawLines(picture))
    .replace(/<g fill="none" pointer-events="all">.*?<\/g>/s, "")
    .replace(/var\(--[\w-]+, (#\w+)\)/g, "$1")
    .replace(/(<svg[^>]*>)/, '$1<rect width="100%" height="100%" fill="#fff"/>');
  return `${picture.x.length > MOST_MARKED ? text.replace(/<circle[^>]*\/>/g, "") : text}\n`;
}

function drawBars({ title, labels, series }) {
  const bars = series.map(({ name, y }, at) => ({
    label: name,
    color: COLORS[at],
    kind: "number",
    values: y.map((value) => value ?? Number.NaN),
  }));
  return groupedBars(labels, bars, { title, width: WIDTH });
}

function drawLines({ id, title, unit, x_label, x, series, scale }) {
  const values = series.flatMap(({ y }) => y).filter((value) => value !== null);
  const hasSign = values.some((value) => value < 0);
  return lineChart(
    {
      id,
      title,
      unit,
      xLabel: x_label,
      xs: x,
      lines: series.map(({ name, y }, at) => ({ label: name, color: COLORS[at], values: y, joins: true })),
      scale,
      kind: "number",
      fromZero: scale === "linear" && !isNarrow(values),
      extreme: hasSign ? "furthest" : "most",
    },
    { width: WIDTH, height: 250 },
  );
}

/** Whether values differ little relative to their size, so that an axis from 0 would not show it. */
function isNarrow(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return most - least < 0.2 * Math.abs(least);
}

const isCheck = process.argv.includes("--check");
const pictures = JSON.parse(readFileSync(join(ROOT, "lab/pictures.json"), "utf8"));
mkdirSync(FOLDER, { recursive: true });
const problems = [];
const drawn = new Map(pictures.map((picture) => [`${picture.id}.svg`, drawPicture(picture)]));
for (const [name, text] of drawn) {
  if (Buffer.byteLength(text) > MOST_BYTES)
    problems.push(`${name} has ${Buffer.byteLength(text)} bytes, more than ${MOST_BYTES}`);
  const path = join(FOLDER, name);
  if (!isCheck) writeFileSync(path, text);
  else if (!readdirSync(FOLDER).includes(name) || readFileSync(path, "utf8") !== text)
    problems.push(`${name} is not what lab/pictures.json says: node scripts/cause-pictures.mjs`);
}
for (const name of readdirSync(FOLDER).filter((name) => !drawn.has(name))) {
  if (isCheck) problems.push(`${name} is not of a cause`);
  else rmSync(join(FOLDER, name));
}
for (const problem of problems) console.error(problem);
console.log(`cause pictures: ${drawn.size} drawn, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
