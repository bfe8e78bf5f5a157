import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import { DIST, PROGRAM } from "../../bench/support/view-server.mjs";
import type { PreparedRun } from "../../src/apps/viewer/prepare/cache/prepared-run.ts";
import type * as Prepare from "../../src/apps/viewer/prepare/index.ts";
import type * as Server from "../../src/apps/viewer/server/index.ts";
import {
  eventually,
  goTo,
  hasBrowser,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import type { Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the viewer while it prepares");

/** `logratio view -`, whose input ends when the test says so. */
function viewPipe(...words: readonly string[]): {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  ended: Promise<number | null>;
} {
  const flags = ["--port", "0", "--no-open", "--no-token", ...words];
  const child = spawn(process.execPath, [PROGRAM, "view", "-", ...flags], {
    env: { ...process.env, NO_COLOR: "1" },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { child, out: () => out, err: () => err, ended };
}

function line(step: number, row: number): string {
  const rollout = [-1, -2, -3 - row / step];
  return `${JSON.stringify({
    step,
    response_ids: [1, 2, 3],
    response_mask: [1, 1, 1],
    rollout_log_probs: rollout,
    old_log_probs: [-1.5, -2, -2.5],
  })}\n`;
}

describe.skipIf(!hasBrowser)("the page at once", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  it("is there before the run is read, and shows it once it is", async () => {
    const view = viewPipe();
    view.child.stdin!.write(line(1, 0));
    await eventually(view.out).toMatch(/^http:/);
    const { page, errors } = await openPage(browser);
    await page.goto(view.out().trim());
    await eventually(() => readText(page.locator("main.waiting h1"))).toBe("Reading -");
    view.child.stdin!.end(line(2, 0));
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("steps 1–2");
    await eventually(() => page.locator(".top-bar .pill").count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
    view.child.kill("SIGINT");
    expect(await view.ended).toBe(0);
  });

  it("is there before a run is read that others are compared with, and then compares them", async () => {
    const other = join(place.folder, "other.jsonl");
    await writeFile(other, line(1, 0) + line(2, 1));
    const view = viewPipe("--compare", other);
    view.child.stdin!.write(line(1, 0));
    await eventually(view.out).toMatch(/^http:/);
    const { page, errors } = await openPage(browser);
    await page.goto(view.out().trim());
    await eventually(() => readText(page.locator("main.waiting h1"))).toBe("Reading -");
    view.child.stdin!.end(line(2, 0));
    await eventually(() => page.locator('nav a[href*="#/compare"]').count()).toBe(1);
    await eventually(() => page.locator(".top-bar .pill").count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
    view.child.kill("SIGINT");
    expect(await view.ended).toBe(0);
  });

  it("says why there is nothing to see, as the terminal does, which ends with status 3", async () => {
    const view = viewPipe();
    view.child.stdin!.write('{"notes": "');
    await eventually(view.out).toMatch(/^http:/);
    const { page } = await openPage(browser);
    await page.goto(view.out().trim());
    await page.locator("main.waiting").waitFor();
    view.child.stdin!.end('nothing"}\n');
    await eventually(() => readText(page.locator("main [role=alert]"))).toMatch(/^Reading failed: \S/);
    const why = (await readText(page.locator("main [role=alert]"))).replace("Reading failed: ", "");
    expect(await view.ended).toBe(3);
    expect(view.err()).toContain(why.split(":")[0]);
    await page.close();
  });

  it("ends at Ctrl-C while it reads", async () => {
    const view = viewPipe();
    view.child.stdin!.write(line(1, 0));
    await eventually(view.out).toMatch(/^http:/);
    view.child.kill("SIGINT");
    expect(await view.ended).toBe(130);
    expect(view.err()).toContain("interrupted");
  });

  it("fills while files are read, without being asked, and ends as a run that is ready", async () => {
    const { prepareRun } = (await import(join(DIST, "apps/viewer/prepare/index.js"))) as typeof Prepare;
    const { startViewServer } = (await import(join(DIST, "apps/viewer/server/index.js"))) as typeof Server;
    const folder = join(place.folder, "filling");
    await mkdir(folder);
    for (let step = 1; step <= 8; step++)
      await writeFile(join(folder, `step_${step + 10}.jsonl`), line(step, 0) + line(step, 1));
    const server = await startViewServer([folder], { port: 0, token: false, preparing: true });
    const states: PreparedRun[] = [];
    const cache = join(place.folder, "filling-cache");
    const soFar = {
      isWatched: () => true,
      everyMs: 0,
      onRun: (state: PreparedRun) => void states.push(state),
    };
    const run = await prepareRun([folder], { cache, soFar });
    const { page, errors } = await openPage(browser);
    try {
      await page.goto(server.url);
      await page.locator("main.waiting").waitFor();
      await eventually(() => server.isWatched).toBe(true);
      const progress = { bytes_read: 42, bytes_total: 100, sequences: 1234, seconds_left: 8.2, file: "x" };
      server.tellProgress(progress);
      await eventually(() => readText(page.locator("main.waiting"))).toContain(
        "read: 42 %, 1,234 sequences, 9 s left",
      );
      const steps = ({ info: { steps: read } }: PreparedRun): string =>
        read.length === 1 ? `step ${read[0]} ` : `steps ${read[0]}–${read.at(-1)} `;
      const [first, , third] = states;
      const rest = states.filter((state) => state !== first && state !== third);
      server.tellProgress({ ...progress, bytes_read: 100, seconds_left: null });
      await eventually(() => readText(page.locator("main.waiting"))).toContain(
        "read; being summed up, 1,234",
      );
      // As if this were a tiny part of a large run.
      const info = { ...first!.info, read_share: 0.004 };
      const answer: PreparedRun["answer"] = async (name) =>
        name === "run" ? Buffer.from(JSON.stringify(info)) : first!.answer(name);
      await server.update({ ...first!, info, answer }, false);
      await eventually(() => readText(page.locator(".top-bar .facts"))).toContain(steps(first!));
      await goTo(page, server.url, "#/answer");
      const badge = page.locator(".sentence .badge");
      expect(await readText(badge)).toMatch(/so far, 1 step · 0\.4\d* % read$/);
      const color = "getComputedStyle(document.querySelector('.sentence .badge')).backgroundColor";
      expect(await page.evaluate(color)).toBe("rgba(0, 0, 0, 0)");
      server.tellProgress(progress);
      expect(await readText(page.locator(".top-bar .tools"))).toContain("read: 42 %");
      expect(await readText(page.locator(".top-bar .tools"))).toContain("so far: ");
      await goTo(page, server.url, "#/sequences");
      expect(third!.info.read_share).toBeGreaterThan(first!.info.read_share!);
      await server.update(third!, false);
      await eventually(() => readText(page.locator(".top-bar .facts"))).toContain(steps(third!));
      await server.update(run, false);
      await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("steps 1–8");
      await eventually(() => page.locator(".top-bar .pill").count()).toBe(0);
      await settled(page);
      await eventually(() =>
        page.getByRole("grid", { name: "Sequences" }).locator("tbody td:first-child a").count(),
      ).toBe(16);
      expect(errors).toEqual([]);
      for (const state of rest) await state.close();
    } finally {
      await page.close();
      await server.close();
      await rm(folder, { recursive: true });
    }
  });
});
