/** "Try it" of docs/serve.md exactly as written: two terminals, an open page, and an alert that fires. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startServe } from "../../bench/support/serve-load.mjs";
import { eventually, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { ROOT } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { useViewer } from "../support/use-viewer.ts";

const PYTHON = process.env.LOGRATIO_PYTHON ?? "python3";
const hasNumpy = spawnSync(PYTHON, ["-c", "import numpy"]).status === 0;
if (!hasNumpy)
  console.warn(`SKIPPED: the live run of docs/serve.md: ${PYTHON} has no numpy (LOGRATIO_PYTHON)`);
warnWithoutBrowser("the live run of docs/serve.md");

const [, SECTION = ""] =
  /^## Try it\n(.*?)^## /ms.exec(readFileSync(join(ROOT, "docs/serve.md"), "utf8")) ?? [];

/** The only block of code in a language in the section. */
function block(language: string): string {
  const found = [...SECTION.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter(([, name]) => name === language);
  expect([language, found.length]).toEqual([language, 1]);
  return found[0]![2]!;
}

describe.skipIf(!hasBrowser || !hasNumpy)("while it runs", () => {
  let browser: Browser;
  useViewer(async (aBrowser) => {
    browser = aBrowser;
  });

  it("is a live page with an alert, by the page alone", async () => {
    // A retry must not find the run of the first attempt.
    const folder = temporaryFolder("logratio-live-");
    await writeFile(join(folder, "rules.yaml"), block("yaml"));
    const [, words = ""] = /^logratio serve runs\/ (.*?) +#/.exec(block("sh")) ?? [];
    expect(words).toBe("--alerts rules.yaml");
    const server = await startServe(join(folder, "runs"), ["--alerts", join(folder, "rules.yaml")]);
    // The port and the pace are chosen by the test; everything else is pasted as a reader would.
    const pasted = block("python");
    const loop = pasted
      .replace("http://127.0.0.1:8270", server.url)
      .replace("time.sleep(1)", "time.sleep(0.2)");
    expect(loop).not.toContain(":8270");
    await writeFile(join(folder, "loop.py"), loop);
    const { page, errors } = await openPage(browser);
    try {
      await page.goto(server.url);
      await eventually(() => readText(page.locator("main.runs"))).toContain("There are no runs yet");
      const recorder = spawn(PYTHON, [join(folder, "loop.py")], {
        env: {
          ...process.env,
          PYTHONPATH: join(ROOT, "python"),
          LOGRATIO_SPOOL: join(folder, "spool"),
        },
      });
      let said = "";
      recorder.stderr.on("data", (text: Buffer) => {
        said += text.toString();
      });
      const ended = new Promise<number | null>((resolve) => recorder.once("close", resolve));
      const row = page.locator("main.runs tbody tr");
      await eventually(() => readText(row)).toContain("my-run");
      await eventually(() => readText(row)).toMatch(/far apart: .* at step 20|since step 20/);
      await row.locator("a").click();
      await eventually(() => readText(page.locator(".top-bar .news"))).toMatch(/so far: .*last at step 20/);
      await page.locator(".top-bar .pill.alert").click();
      await eventually(() => readText(page.locator(".overview section.alerts"))).toContain("far apart");
      expect([await ended, said.trimEnd().split("\n")]).toEqual([
        0,
        [
          `logratio: records to ${server.url} as 'my-run'`,
          `logratio: 60 batches (1920 sequences, 122880 tokens) written to ${server.url} as 'my-run'`,
        ],
      ]);
      expect(server.messages().split("\n")).toContain(block("").trimEnd());
      expect(errors).toEqual([]);
    } finally {
      await page.close();
      expect(await server.stop()).toBe(0);
    }
  });
});
