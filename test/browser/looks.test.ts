import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { goTo, hasBrowser, listViews, openPage, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, hasLab, INT8, INT8_FLAGS, warnWithoutLab } from "../support/built-view.ts";
import { ROOT } from "../support/run-cli.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("accessibility and pictures of the viewer");
warnWithoutLab("accessibility and pictures with the lab's int8 run (the demo is taken)");

const SCREENSHOTS = join(ROOT, "test/out/screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SERIOUS = ["serious", "critical"];

/** Views in states other than their first. */
const STATES = [
  { name: "Sequences in groups", hash: "#/sequences?layout=groups" },
  { name: "Sequences with a text", hash: "#/sequences?peek=3&pinned=worst" },
  { name: "Group", hash: "#/group/3" },
  { name: "Group with texts", hash: "#/group/3?text-of=0,1,2,3,4,5,6,7" },
  { name: "Sequences by turns", hash: "#/sequences?layout=matrix" },
  { name: "Sequences with a wrong filter", hash: "#/sequences?filter=nonsense%3E3%20correct%3Ano" },
  { name: "Sequence with cards", hash: "#/sequence/3/t20?pins=20_30" },
  {
    name: "Sequence exact and corrected",
    hash: "#/sequence/3?mode=exact&correction=weight:token+truncate:..1.001+mask:token.ratio:0.5..1.01",
  },
  { name: "Tokens by token", hash: "#/tokens?by=token" },
  {
    name: "Correction by sequence",
    hash: "#/correct?correction=weight:sequence+truncate:..2+mask:sequence.sum.ratio:0.5..2+veto:ratio:0.9..",
  },
];

describe.skipIf(!hasBrowser)("how the viewer looks", () => {
  let browser: Browser;
  let server: RunningView;
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    mkdirSync(SCREENSHOTS, { recursive: true });
    server = await (hasLab ? place.serve(INT8, ...INT8_FLAGS) : place.serve(DEMO, ...DEMO_FLAGS));
  });

  it.each(["light", "dark"] as const)(
    "has no serious violation in %s colors; pictures are kept",
    async (colorScheme) => {
      const { page, errors } = await openPage(browser, { colorScheme, reducedMotion: "reduce" });
      // In dark mode only colors may differ.
      const rules = {
        resultTypes: ["violations"],
        ...(colorScheme === "dark" && { runOnly: ["color-contrast", "link-in-text-block"] }),
      };
      const serious: string[] = [];
      for (const { name, hash } of [...(await listViews(page, server.url)), ...STATES]) {
        await goTo(page, server.url, hash);
        await page.evaluate(AXE);
        const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(rules)})`);
        for (const { id, impact, help, nodes } of violations) {
          const said = `${name}, ${colorScheme}: ${impact} ${id} (${help}) at ${nodes[0]?.target.join(" ")}, ${nodes.length} in all`;
          if (SERIOUS.includes(impact ?? "")) serious.push(said);
          else console.log(said);
        }
        const file = name.toLowerCase().replaceAll(" ", "-");
        for (const width of [1280, 700]) {
          await page.setViewportSize({ width, height: 900 });
          await page.screenshot({ path: join(SCREENSHOTS, `${file}-${colorScheme}-${width}.png`) });
        }
        const tooWide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect(tooWide, `${name}: pixels beyond 700`).toBeLessThanOrEqual(0);
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      expect(serious).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    },
  );
});
