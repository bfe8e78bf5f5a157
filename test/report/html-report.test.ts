import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listLeftOut } from "../../src/analyses/assessment/left-out.ts";
import { stepCharts } from "../../src/render/charts/step-charts.ts";
import { SCRIPT_HASH, STYLE_HASH, TEXT_STYLE_HASH } from "../../src/render/html/policy.ts";
import { SCRIPT } from "../../src/render/html/script.ts";
import { STYLE } from "../../src/render/html/style.ts";
import { TEXT_STYLE } from "../../src/render/html/text-style.ts";
import { renderHtml } from "../../src/render/report/document.ts";
import { sectionPictures, spreadPictures } from "../../src/render/report/html-pictures.ts";
import { STEP_METRICS } from "../../src/results/metrics/run-metrics.ts";
import type { StepSeries } from "../../src/results/view.ts";
import { emptyReport, sampleReport, withoutIntervals } from "./sample-report.ts";

const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>' onload='x`;

/** Tags that the page may contain; anything else came from a file. */
const OWN_TAGS = new Set(
  "!doctype html head meta title style body header h1 h2 h3 button p div span main table caption thead tbody tr th td ul li a nav section b dl dt dd pre figure svg g path rect circle text footer script".split(
    " ",
  ),
);

function sha256(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

describe("renderHtml", () => {
  it("says why a figure has no interval", () => {
    expect(renderHtml(withoutIntervals())).toContain(
      "no 95 % interval: mean |Δ| (one prompt holds 52 %; 0.00190 – 0.00410 without any one)",
    );
  });

  it("allows exactly its own style sheet and script", () => {
    expect(STYLE_HASH, "STYLE has changed: put its new hash into policy.ts").toBe(sha256(STYLE));
    expect(SCRIPT_HASH, "SCRIPT has changed: put its new hash into policy.ts").toBe(sha256(SCRIPT));
    const page = renderHtml(sampleReport());
    expect(TEXT_STYLE_HASH, "TEXT_STYLE has changed: put its new hash into policy.ts").toBe(
      sha256(TEXT_STYLE),
    );
    expect(page).toContain(`<style>${STYLE}</style>`);
    expect(page).toContain(`<script>${SCRIPT}</script>`);
    expect(page).toContain(
      `content="default-src 'none'; style-src '${STYLE_HASH}' '${TEXT_STYLE_HASH}'; script-src '${SCRIPT_HASH}';`,
    );
  });

  it("asks for nothing over the network and styles nothing inline", () => {
    const page = renderHtml(sampleReport({ steps: 40 })).replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    expect(page).not.toMatch(/https?:|\bsrc=|@import|url\(|\sstyle=|<link|<iframe/);
  });

  it("escapes whatever files hold", () => {
    const report = sampleReport({
      run: HOSTILE,
      environments: [HOSTILE, "b"],
      files: [HOSTILE],
      command: `logratio ${HOSTILE}`,
    });
    const page = renderHtml({
      ...report,
      verdict: { ...report.verdict, headline: HOSTILE },
      facts: [{ kind: "any", text: HOSTILE, weight: 1 }],
      parity: report.parity.map((block) => ({ ...block, trainer: HOSTILE, metrics: { [HOSTILE]: 1 } })),
      findings: [
        {
          code: "note",
          severity: "warning",
          message: HOSTILE,
          count: 1,
          at: { file: HOSTILE },
          likely: HOSTILE,
          hint: HOSTILE,
        },
      ],
    });
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;");
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it("holds no tag and no attribute of foreign making, for any text", () => {
    const foreign = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(HOSTILE, "]]>", "<!--", "</title>", "\u2028<b x='"),
    );
    fc.assert(
      fc.property(foreign, foreign, (run, name) => {
        const page = renderHtml(sampleReport({ run, environments: [name, "b"], files: [name] }));
        const body = page.replace(STYLE, "").replace(TEXT_STYLE, "").replace(SCRIPT, "");
        const tags = [...body.matchAll(/<\/?([^\s>/]+)[^>]*>/g)];
        const foreignTags = tags.filter(([, tag = ""]) => !OWN_TAGS.has(tag.toLowerCase()));
        const handlers = tags.filter(([tag]) => /\son\w+=/.test(tag.replaceAll(/"[^"]*"/g, "")));
        expect([...foreignTags, ...handlers].map(([tag]) => tag)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("stays under 400 kB for a thousand steps and draws every step as a row", () => {
    const page = renderHtml(sampleReport({ steps: 1000 }));
    expect(new TextEncoder().encode(page).length).toBeLessThan(400_000);
    const section = page.slice(page.indexOf('<section id="steps">'), page.indexOf('<section id="turns">'));
    expect(section.match(/<tr>/g)).toHaveLength(1001);
  });

  it("has the pictures of the viewer's overview, by the same names", () => {
    const report = sampleReport({ steps: 12 });
    const page = renderHtml(report);
    const ids = [...page.matchAll(/<figure id="chart-([^"]+)">/g)].map(([, id]) => id);
    const steps = report.per_step.map((step) => step.step);
    const series = Object.fromEntries(
      STEP_METRICS.map((name) => [name, report.per_step.map((step) => step[name])]),
    ) as unknown as StepSeries["series"];
    const { charts } = stepCharts({ steps, series, slices: [] }, null, "auto");
    expect(charts.map(({ id }) => id)).toContain("entropy");
    for (const { id } of [...charts, ...spreadPictures(report), ...sectionPictures(report, "turns")])
      expect(ids).toContain(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(renderHtml(sampleReport({ steps: 1 }))).not.toContain("Over the steps");
  });

  it("has an anchor for every section and a way to copy the next command", () => {
    const page = renderHtml(sampleReport());
    const anchors = [...page.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id);
    for (const id of anchors) expect(page).toContain(`id="${id}"`);
    expect(anchors).toContain("findings");
    expect(page).toContain('<pre id="next">logratio view runs/sample</pre>');
    expect(page).toContain('data-copy="next"');
  });

  it("says what was left out before any table", () => {
    const report = sampleReport();
    const page = renderHtml({
      ...report,
      left_out: listLeftOut([], { missing: 412, delta_negative_infinite: 0, delta_positive_infinite: 0 }),
    });
    expect(page.indexOf("412 tokens without a log-prob")).toBeGreaterThan(0);
    expect(page.indexOf("412 tokens without a log-prob")).toBeLessThan(page.indexOf("<nav"));
  });

  it("draws a report without tokens, one step, and one that went through JSON", () => {
    for (const report of [
      emptyReport(),
      sampleReport({ steps: 1 }),
      JSON.parse(JSON.stringify(emptyReport())),
    ]) {
      const page = renderHtml(report);
      expect(page).not.toMatch(/\bNaN\b|undefined/);
      expect(page.endsWith("</html>\n")).toBe(true);
    }
  });
});
