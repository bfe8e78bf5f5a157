import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { confinedEnvironment } from "../../../input/io/confinement.ts";
import { findVersions } from "./nearby.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "nearby-")));
afterAll(() => rmSync(root, { recursive: true }));

function write(name: string, text = ""): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const installed = (env: string, name: string): string =>
  write(`${env}/lib/python3.12/site-packages/${name}.dist-info/METADATA`);

describe("versions near a config", () => {
  it("come from a virtual environment, then a lock file, then requirements; nearer ones first", async () => {
    const config = write("a/project/configs/grpo.yaml", "x: 1");
    write("a/project/.git/HEAD");
    write("a/project/requirements.txt", "verl==0.7.0\ntrl==1.0.0\nopenrlhf==0.11.1\n");
    write(
      "a/project/uv.lock",
      '[[package]]\nname = "verl"\nversion = "0.8.0"\n\n[[package]]\nname = "trl"\nversion = "1.1.0"\n',
    );
    installed("a/project/.venv", "verl-0.9.1");
    const find = await findVersions(config, {});
    expect(find("verl")).toEqual({ version: "0.9.1", from: "installed in .venv" });
    expect(find("trl")).toEqual({ version: "1.1.0", from: "uv.lock, line 7" });
    expect(find("openrlhf")).toEqual({ version: "0.11.1", from: "requirements.txt, line 3" });
    expect(find("areal")).toBeUndefined();
    write("a/project/configs/requirements-train.txt", "openrlhf==0.11.2\n");
    const nearer = await findVersions(config, {});
    expect(nearer("openrlhf")?.version).toBe("0.11.2");
  });

  it("do not come from above the repository's root", async () => {
    write("b/requirements.txt", "verl==0.7.0\n");
    write("b/project/.git/HEAD");
    const find = await findVersions(write("b/project/grpo.yaml", "x: 1"), {});
    expect(find("verl")).toBeUndefined();
  });

  it("come from the active environment last, under any spelling of the name", async () => {
    const config = write("c/grpo.yaml", "x: 1");
    write("c/.git/HEAD");
    installed("envs/active", "ms_swift-4.6.0");
    installed("envs/active", "trl-1.16.0");
    write("c/requirements.txt", "trl==1.0.0\n");
    const find = await findVersions(config, {
      VIRTUAL_ENV: path.join(root, "envs/active"),
      CONDA_PREFIX: "",
    });
    expect(find("ms-swift")).toEqual({ version: "4.6.0", from: "installed in active" });
    expect(find("trl")?.version).toBe("1.0.0");
  });

  it("are not looked for outside the places to which reading is confined", async () => {
    const config = write("e/configs/grpo.yaml", "x: 1");
    write("e/requirements.txt", "verl==0.7.0\n");
    write("e/configs/requirements.txt", "trl==1.0.0\n");
    const [[name = "", roots = ""] = []] = Object.entries(
      confinedEnvironment([path.join(root, "e/configs")]),
    );
    vi.stubEnv(name, roots);
    const find = await findVersions(config, {});
    vi.unstubAllEnvs();
    expect(find("trl")?.version).toBe("1.0.0");
    expect(find("verl")).toBeUndefined();
  });

  it("are none where nothing can be read", async () => {
    mkdirSync(path.join(root, "d/requirements.txt"), { recursive: true });
    const find = await findVersions(path.join(root, "d/missing/grpo.yaml"), {
      VIRTUAL_ENV: path.join(root, "none"),
    });
    expect(find("verl")).toBeUndefined();
  });
});
