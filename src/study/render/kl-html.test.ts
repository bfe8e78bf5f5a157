import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STYLE_HASH, TEXT_STYLE_HASH } from "../../render/html/policy.ts";
import { SCRIPT } from "../../render/html/script.ts";
import { STYLE } from "../../render/html/style.ts";
import { TEXT_STYLE } from "../../render/html/text-style.ts";
import { renderKlHtml } from "./document.ts";
import {
  CHECKPOINTS,
  emptyKlReport,
  HOSTILE,
  hostileKlReport,
  nullKlReport,
  sampleKlReport,
} from "./sample.test-data.ts";

/** Tags that the page may contain; anything else came from a file. */
const OWN_TAGS = new Set(
  "!doctype html head meta title style body header h1 h2 h3 h4 button p div span b a main table caption thead tbody tr th td ul li nav section dl dt dd pre figure details summary svg g path rect circle text footer script".split(
    " ",
  ),
);
const OWN_ATTRIBUTES = new Set(
  "lang charset name content http-equiv class id type hidden href scope title data-sort tabindex role aria-label aria-hidden open dir xmlns viewbox width height x y x1 y1 cx cy r d fill fill-opacity pointer-events stroke stroke-width stroke-opacity stroke-dasharray stroke-linejoin font-family font-size font-weight text-anchor".split(
    " ",
  ),
);

/** Names of tags and attributes of the page without its own style sheets and script. */
function markup(page: string): { tags: Set<string>; attributes: Set<string> } {
  const body = page.replace(STYLE, "").replace(TEXT_STYLE, "").replace(SCRIPT, "");
  const [tags, attributes] = [new Set<string>(), new Set<string>()];
  for (const [, tag = "", rest = ""] of body.matchAll(/<\/?([^\s>/]+)((?:"[^"]*"|[^">])*)>/g)) {
    tags.add(tag.toLowerCase());
    if (tag.startsWith("!")) continue;
    for (const [, name = ""] of rest.matchAll(/([^\s=/"]+)(?:=(?:"[^"]*"|[^\s">]+))?/g))
      attributes.add(name.toLowerCase());
  }
  return { tags, attributes };
}

const PAGES = {
  whole: renderKlHtml(sampleKlReport()),
  null: renderKlHtml(nullKlReport()),
  empty: renderKlHtml(emptyKlReport()),
  hostile: renderKlHtml(hostileKlReport()),
};

describe.each(Object.entries(PAGES))("the %s page", (_, page) => {
  it("holds only its own tags and attributes", () => {
    const { tags, attributes } = markup(page);
    expect([...tags].filter((tag) => !OWN_TAGS.has(tag))).toEqual([]);
    expect([...attributes].filter((name) => !OWN_ATTRIBUTES.has(name))).toEqual([]);
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it("asks for nothing over the network and styles nothing inline", () => {
    const body = page
      .replaceAll('xmlns="http://www.w3.org/2000/svg"', "")
      .replaceAll("http://127.0.0.1:8000", "");
    expect(body).not.toMatch(/https?:|@import|url\(|\sstyle=|<link|<iframe/);
  });

  it("has no NaN, every id once, every link's target, a caption in every table", () => {
    expect(page.replace(SCRIPT, "")).not.toMatch(/\bNaN\b|undefined|\[object/);
    const ids = [...page.matchAll(/ id="?([\w-]+)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([\w-]+)"/g)) expect(ids).toContain(target);
    expect(page.match(/<caption>/g)?.length).toBe(page.match(/<table/g)?.length);
    for (const [svg] of page.matchAll(/<svg[^>]*>/g)) expect(svg).toMatch(/aria-label="|aria-hidden="true"/);
  });
});

it("allows exactly its own style sheets and script", () => {
  const hash = `sha256-${createHash("sha256").update(TEXT_STYLE).digest("base64")}`;
  expect(TEXT_STYLE_HASH, "TEXT_STYLE has changed: put its new hash into policy.ts").toBe(hash);
  expect(PAGES.whole).toContain(`<style>${TEXT_STYLE}</style>`);
  expect(PAGES.whole).toContain(`style-src '${STYLE_HASH}' '${TEXT_STYLE_HASH}'; script-src`);
});

it("holds no tag of foreign making, for any text", () => {
  const foreign = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.constantFrom(HOSTILE, "]]>", "<!--", "</title>", "</style>", "</td></table>", "\u2028<b x='", "$&"),
  );
  const [study] = sampleKlReport().cases;
  fc.assert(
    fc.property(foreign, foreign, (token, name) => {
      const report = sampleKlReport();
      const page = renderKlHtml({
        ...report,
        study: name,
        cases: [{ ...study!, tokens: study!.tokens.map(() => token), prompt_text: token, reason: name }],
        top_spikes: report.top_spikes.map((spike) => ({ ...spike, token, before: token, after: name })),
      });
      expect([...markup(page).tags].filter((tag) => !OWN_TAGS.has(tag))).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

describe("renderKlHtml", () => {
  const page = PAGES.whole;

  it("answers before any picture or table, and names every checkpoint", () => {
    const { answers } = sampleKlReport();
    expect(page.indexOf(answers[0]!.question)).toBeLessThan(page.indexOf("<svg"));
    expect(page.indexOf("<svg")).toBeLessThan(page.indexOf("<table"));
    for (const name of CHECKPOINTS) expect(page).toContain(`<td class=l>${name}<`);
  });

  it("draws KL with its interval and the baseline, entropy, spikes, density, categories", () => {
    for (const title of [
      "Mean KL to dpo over checkpoints",
      "Mean entropy over checkpoints",
      "Spikes per problem",
      "Spike density by third of the response",
      "Mean KL by category at rlvr_step_1000",
      "Mean KL by category and checkpoint",
      "Wrong texts with a spike at the first error",
    ])
      expect(page).toContain(`aria-label="${title}`);
    expect(page).toContain("sft 0.00480");
  });

  it("has a cell for every token and checkpoint of a short text: level, tool output or no score", () => {
    const [study] = sampleKlReport().cases;
    const start = page.indexOf('id="case-1"');
    const map = page.slice(start, page.indexOf('id="case-2"'));
    const cells = [...map.matchAll(/<td class="?(k\d|tool-output|unknown)/g)].map(([, kind]) => kind);
    expect(cells).toHaveLength(study!.tokens.length * study!.checkpoints.length);
    expect(cells.filter((kind) => kind === "tool-output")).toHaveLength(5 * 5);
    expect(cells.filter((kind) => kind === "unknown")).toHaveLength(2);
    expect(map.match(/<td class="k\d spike"/g)).toHaveLength(3);
    expect(map).toContain('class="spike error"');
  });

  it("shows line ends and keeps them, and tells both policies' alternatives", () => {
    expect(page).toContain("<span class=nl>⏎</span>\n");
    expect(page).toMatch(/<b><span class=tok>12<\/span><\/b> <span class=muted>forced<\/span><td>2\.1 %/);
    expect(page).toContain('<a href="#case-1-a" class="k8 spike error"');
  });

  it("tells what spikes depend on, and what came of continuing a case", () => {
    const page = renderKlHtml(sampleKlReport());
    expect(page).toMatch(/Depends on <span class=tok>“ =” at 40 31\.8 %<\/span>/);
    expect(page).toContain("Continued: From after the first error (48 tokens forced)");
    expect(page).toMatch(/<summary>rlvr_step_1000: 3 of 4 right<\/summary><pre class=prompt>5\$\. Wait/);
    expect(page).toContain("Gradient × input of the KL behind the first error");
    expect(page).toContain("Right answers when continued from after the first error");
  });

  it("draws no mark where nothing is known", () => {
    expect(PAGES.null).not.toMatch(/<td class="?k\d/);
    expect(PAGES.null).toContain("<td class=unknown>–");
    expect(PAGES.null).not.toContain("n/a");
    expect(PAGES.null).toContain("The back end does not report alternatives.");
    expect(PAGES.empty).not.toContain("Case studies");
  });
});
