/**
 * Temporary files of this process and of killed ones, tested with the built modules, since Node 20 cannot run
 * TypeScript.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lacks } from "./support/platform.ts";
import { ROOT, requireBuild } from "./support/run-cli.ts";

const noSignals = lacks("signals", "what is removed at a signal");

let folder = "";
const children: ChildProcess[] = [];

beforeAll(requireBuild);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "scratch-test-"));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

const module = (name: string): string =>
  JSON.stringify(pathToFileURL(join(ROOT, "dist/input/io", name)).href);

/** A process that makes a scratch directory with a file in it, then prints what `more` prints and waits. */
async function start(more = ""): Promise<{ child: ChildProcess; path: string }> {
  const code = `
    import { writeFileSync } from "node:fs";
    import { createScratch, createTemporaryFile } from ${module("scratch.js")};
    import { onInterrupt } from ${module("interrupts.js")};
    const folder = ${JSON.stringify(folder)};
    const scratch = await createScratch(folder);
    writeFileSync(scratch.path + "/part", "half of it");
    setInterval(() => {}, 1000);
    ${more}
    console.log(scratch.path);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [path] = (await once(child.stdout!, "data")) as [Buffer];
  return { child, path: path.toString().trim() };
}

async function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode ?? child.exitCode;
}

/** Sweeps in another process, since this one remembers which directories it has swept. */
async function sweep(): Promise<void> {
  const { child } = await start("await scratch.remove();");
  child.kill("SIGKILL");
  await ended(child);
}

describe.skipIf(noSignals)("a scratch directory", () => {
  it("is for this user alone, under a name with 64 random bits", async () => {
    const { path } = await start();
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(basename(path)).toMatch(/^\.logratio-[0-9a-f]{8}-\d+-[0-9a-f]{16}\.tmp$/);
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`is removed at ${signal}, which then ends the process by its default action`, async () => {
      const { child } = await start();
      child.kill(signal);
      expect(await ended(child)).toBe(signal);
      expect(await readdir(folder)).toEqual([]);
    });
  }

  it("is removed when the process ends by itself", async () => {
    const { child } = await start("setTimeout(() => process.exit(7), 50);");
    expect(await ended(child)).toBe(7);
    expect(await readdir(folder)).toEqual([]);
  });

  it("stays under the name that it was published by, whatever ends the process or removes the scratch", async () => {
    const name = JSON.stringify(join(folder, "cache"));
    const end = (status: string): string => `setTimeout(() => process.exit(${status}), 50);`;
    const { child } = await start(`await scratch.publish(${name}); await scratch.remove(); ${end("7")}`);
    expect(await ended(child)).toBe(7);
    expect(await readdir(folder)).toEqual(["cache"]);
    expect(await readdir(join(folder, "cache"))).toEqual(["part"]);
    const next = await start(
      `const tag = await scratch.publish(${name}).catch(({ _tag }) => _tag);
       ${end('tag === "FileSystemError" ? 3 : 4')}`,
    );
    expect(await ended(next.child)).toBe(3);
    expect(await readdir(folder)).toEqual(["cache"]);
  });

  it("that a killed process left is removed by the next one, and only that", async () => {
    const killed = await start();
    killed.child.kill("SIGKILL");
    await ended(killed.child);
    const running = await start();
    expect(existsSync(killed.path)).toBe(false);
    await writeFile(join(folder, ".logratio-notes.tmp"), "the user's");
    await mkdir(join(folder, "logratio-12"));
    await sweep();
    expect((await readdir(folder)).sort()).toEqual([
      basename(running.path),
      ".logratio-notes.tmp",
      "logratio-12",
    ]);
    expect(await readFile(join(running.path, "part"), "utf8")).toBe("half of it");
  });

  it("of another machine counts as left over a day after its last change", async () => {
    const { child, path } = await start();
    child.kill("SIGKILL");
    await ended(child);
    const elsewhere = join(
      folder,
      basename(path).replace(/-[0-9a-f]{8}-/, (tag) => tag.replace(/[0-9a-f]/g, "0")),
    );
    await rename(path, elsewhere);
    await sweep();
    expect(existsSync(elsewhere)).toBe(true);
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    await utimes(elsewhere, twoDaysAgo, twoDaysAgo);
    await sweep();
    expect(existsSync(elsewhere)).toBe(false);
  });
});

describe("a temporary file", () => {
  it("is not seen under its name before it is complete, and leaves nothing beside it", async () => {
    const { child } = await start(`
      const temporary = await createTemporaryFile(folder + "/out.json");
      await temporary.file.writeFile("{");
      const { readdirSync } = await import("node:fs");
      const early = readdirSync(folder).includes("out.json");
      await temporary.file.writeFile("}");
      await temporary.commit();
      await temporary.discard();
      setTimeout(() => process.exit(early ? 9 : 0), 50);`);
    expect(await ended(child)).toBe(0);
    expect(await readdir(folder)).toEqual(["out.json"]);
    expect(await readFile(join(folder, "out.json"), "utf8")).toBe("{}");
  });
});

describe.skipIf(noSignals)("a second signal", () => {
  it("ends the process, of whichever kind it and the first one are", async () => {
    for (const [first, second] of [
      ["SIGINT", "SIGINT"],
      ["SIGINT", "SIGTERM"],
      ["SIGTERM", "SIGINT"],
    ] as const) {
      // Work that was told to stop but does not.
      const { child } = await start(`onInterrupt(() => console.log("stopping"));`);
      child.kill(first);
      expect(String((await once(child.stdout!, "data"))[0])).toContain("stopping");
      child.kill(second);
      expect(await ended(child)).toBe(second);
    }
  });
});
