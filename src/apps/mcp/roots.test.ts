import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admitPath, openRoots } from "./roots.ts";

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "roots-")));
  mkdirSync(join(directory, "run/..data"), { recursive: true });
  mkdirSync(join(directory, "run-2"));
  writeFileSync(join(directory, "run/a.npz"), "");
  writeFileSync(join(directory, "run/-"), "");
  writeFileSync(join(directory, "secret.npz"), "");
  symlinkSync(join(directory, "secret.npz"), join(directory, "run/link.npz"));
  symlinkSync(join(directory, "run/a.npz"), join(directory, "run/inner.npz"));
  symlinkSync(directory, join(directory, "run/up"));
  symlinkSync(join(directory, "not-there"), join(directory, "run/dangling"));
  symlinkSync("link.npz", join(directory, "run/chain.npz"));
  symlinkSync("loop", join(directory, "run/loop"));
  symlinkSync(join(directory, "run"), join(directory, "root-link"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const admit = async (path: string): Promise<string> =>
  admitPath(path, await openRoots([join(directory, "run")]));

describe("files", () => {
  it.each([
    [".", "run"],
    ["a.npz", "run/a.npz"],
    ["..data", "run/..data"],
    ["../run/a.npz", "run/a.npz"],
    ["inner.npz", "run/a.npz"],
    ["-", "run/-"],
  ])("admits %s, and opens the place that was checked", async (path, real) => {
    expect(await admit(path)).toBe(join(directory, real));
  });

  it.each([
    "..",
    "../secret.npz",
    "../run-2",
    "link.npz",
    "chain.npz",
    "up",
    "up/secret.npz",
    "up/nothing-there.npz",
    "up/nothing/there.npz",
    "dangling",
    "dangling/x.npz",
    "/",
    "/etc/passwd",
    "../nothing-there",
  ])("refuses %s, and names the root", async (path) => {
    const error = await admit(path).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      _tag: "UsageError",
      message: `${path} is outside what this server may read`,
    });
    expect(error).toMatchObject({ hint: expect.stringContaining(join(directory, "run")) });
  });

  it("takes a root that is a link for the place that it leads to", async () => {
    const roots = await openRoots([join(directory, "root-link")]);
    expect(roots.local).toEqual([join(directory, "run")]);
    expect(await admitPath(join(directory, "root-link/a.npz"), roots)).toBe(join(directory, "run/a.npz"));
  });

  it("says what else the system refuses", async () => {
    await expect(admit("a".repeat(5000))).rejects.toMatchObject({
      message: expect.stringContaining("too long"),
    });
  });

  it("tells what is not there apart from what is outside", async () => {
    await expect(admit("nothing.npz")).rejects.toMatchObject({ _tag: "NotFoundError" });
    await expect(openRoots([join(directory, "nothing")])).rejects.toMatchObject({ _tag: "NotFoundError" });
  });
});

describe("addresses", () => {
  it.each(["s3://runs/grpo", "s3://runs/grpo/step_1.npz"])("admits %s", async (address) => {
    expect(await admitPath(address, await openRoots(["s3://runs/grpo"]))).toBe(address);
    expect(await admitPath(address, await openRoots(["s3://runs/"]))).toBe(address);
  });

  it.each([
    "s3://runs/grpo-2/step_1.npz",
    "s3://runs/grpo/../other",
    "s3://runs/grpo/%2e%2e/other",
    "s3://runs/grpo/./x",
    "https://elsewhere/grpo",
    "gs://runs/grpo",
  ])("refuses %s", async (address) => {
    const roots = await openRoots(["s3://runs/grpo"]);
    await expect(admitPath(address, roots)).rejects.toMatchObject({ _tag: "UsageError" });
  });

  it("are told without passwords and signatures", async () => {
    const roots = await openRoots(["https://user:pw@host/a?sig=1"]);
    const error = await admitPath("https://host/b?sig=2", roots).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: "https://host/b is outside what this server may read" });
    expect((error as { hint: string }).hint).toContain("give a path below https://host/a;");
  });

  it("are not admitted by a directory, nor a file by an address", async () => {
    await expect(admit("s3://runs/grpo")).rejects.toMatchObject({ _tag: "UsageError" });
    const roots = await openRoots(["s3://runs/grpo"]);
    await expect(admitPath(join(directory, "run/a.npz"), roots)).rejects.toMatchObject({
      _tag: "UsageError",
    });
  });
});
