import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { klFigures } from "../../study/render/figures.ts";
import { sampleKlReport } from "../../study/render/sample.test-data.ts";
import { drawPdf } from "./draw-pdf.ts";
import { readFigure } from "./draw-png.ts";
import { checkFigureFormats, checkFiguresDirectory, writeFigures } from "./index.ts";
import { loadFigurePackage } from "./load-package.ts";

const figures = klFigures(sampleKlReport());

function pngSize(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

/** The operators of a PDF's page. */
function pageOperators(pdf: Buffer): string {
  const text = pdf.toString("latin1");
  const start = text.indexOf("stream\n") + "stream\n".length;
  const end = text.indexOf("endstream", start);
  return inflateSync(pdf.subarray(start, end)).toString("latin1");
}

const chart = (text: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40" width="200" height="40" font-family="system-ui" font-size="12"><text x="4" y="20">${text}</text></svg>`;

test("a study's figures are drawn in every format, at the size that was asked for", async () => {
  const dir = join(temporaryFolder("figures-"), "out");
  await checkFigureFormats(["svg", "png", "pdf"]);
  const some = figures.filter(({ id }) => ["kl-over-checkpoints", "case-1-heat-map"].includes(id));
  expect(some).toHaveLength(2);
  const files = await writeFigures(dir, some, { formats: ["svg", "png", "pdf"], dpi: 192 });
  expect(files).toHaveLength(6);
  expect(readdirSync(dir).sort()).toEqual(
    ["figures.json", ...files.map((file) => file.slice(dir.length + 1))].sort(),
  );
  for (const { id, svg } of some) {
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg)!.map(Number);
    expect(readFileSync(join(dir, `${id}.svg`), "utf8")).toBe(svg);
    expect(svg).not.toMatch(/var\(/);
    const size = pngSize(readFileSync(join(dir, `${id}.png`)));
    expect(size[0]).toBeCloseTo(2 * width!, -1);
    expect(size[1]).toBeCloseTo(2 * height!, -1);
    const pdf = readFileSync(join(dir, `${id}.pdf`));
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
    const box = /MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf.toString("latin1"));
    expect(box?.slice(1).map(Number)).toEqual([0.75 * width!, 0.75 * height!]);
  }
  const { kind, figures: told } = JSON.parse(readFileSync(join(dir, "figures.json"), "utf8"));
  expect(kind).toBe("logratio-figures");
  expect(told[0].title).toBe("Mean KL to dpo over checkpoints");
}, 60_000);

test("text is drawn, with the glyphs of its own characters", async () => {
  const outlines = await Promise.all(
    ["", "x", "KL", "Δ", "ρ", "Σ", "‖", "−", "·", "…", "\uE123"].map(async (text) => {
      const outline = (await readFigure(chart(text), 96)).outline();
      return Array.from(outline.matchAll(/ d="([^"]*)"/g), ([, d]) => d).join("|");
    }),
  );
  // No two are alike: nothing is missing, and nothing is the box that stands for a missing glyph.
  expect(new Set(outlines).size).toBe(outlines.length);
  const [nothing, letter] = await Promise.all(
    ["", "MMMM"].map(async (text) => (await readFigure(chart(text), 96)).draw().length),
  );
  expect(letter).toBeGreaterThan(nothing!);
});

test("every path of a figure is in its PDF, and so is the text", async () => {
  const { svg } = figures.find(({ id }) => id === "kl-by-category")!;
  const outline = (await readFigure(svg, 96)).outline();
  const painted = [...outline.matchAll(/<path ([^>]*)>/g)].filter(
    ([, attributes]) => !(/fill="none"/.test(attributes!) && /stroke="none"/.test(attributes!)),
  );
  const operators = pageOperators(await drawPdf(outline, "t")).split(/\s+/);
  expect(operators.filter((one) => ["f", "f*", "S", "B", "B*"].includes(one))).toHaveLength(painted.length);
  expect(painted.length).toBeGreaterThan(20);
});

test("what a PDF cannot take is said", async () => {
  await expect(drawPdf('<svg width="9" height="9"><image href="x"/></svg>', "t")).rejects.toThrow(
    "a figure has an element that PDF cannot take here: image",
  );
});

test("a directory of other files is not written to", async () => {
  const dir = temporaryFolder("figures-");
  await checkFiguresDirectory(join(dir, "new"));
  await checkFiguresDirectory(dir);
  writeFileSync(join(dir, "paper.tex"), "x");
  await expect(checkFiguresDirectory(dir)).rejects.toThrow(/holds other files/);
  await checkFiguresDirectory(dir, true);
  await writeFigures(dir, figures.slice(0, 1), { formats: ["svg"], dpi: 300 });
  await checkFiguresDirectory(dir);
  expect(existsSync(join(dir, "paper.tex"))).toBe(true);
});

test("a package that is not installed is named, with what works without it", async () => {
  const failing = loadFigurePackage("pdfkit", () => {
    throw new Error("Cannot find package 'pdfkit'");
  });
  await expect(failing).rejects.toMatchObject({
    message: "figures as PNG or PDF need the package pdfkit, which is not installed",
    hint: "npm install pdfkit, or write them as --figure-format svg",
  });
});
