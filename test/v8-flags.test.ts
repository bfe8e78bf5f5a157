import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { DISTRIBUTION_RELAXED_WASM } from "../src/core/kernels/wasm/distribution-relaxed.generated.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROGRAM = join(ROOT, "bin/logratio.js");

/** Runs the program with `script` before it. */
function runAfter(script: string, ...args: string[]): string {
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const { stdout } = spawnSync(process.execPath, ["--import", preload, PROGRAM, ...args], {
    encoding: "utf8",
  });
  return stdout;
}

it("lets a verb use relaxed SIMD, whatever Node's version", () => {
  const accepts = `WebAssembly.validate(Buffer.from("${DISTRIBUTION_RELAXED_WASM}", "base64"))`;
  const atExit = `process.on("exit", () => console.log("relaxed SIMD:", ${accepts}));`;
  expect(runAfter(atExit, "report", "no-such-file")).toContain("relaxed SIMD: true");
});

it("sets the flags before the kernel of logits asks whether there is relaxed SIMD", () => {
  const listen = `
    const { validate } = WebAssembly;
    WebAssembly.validate = (bytes) => {
      const answer = validate(bytes);
      console.log("asked:", bytes.length, answer);
      return answer;
    };`;
  const folder = mkdtempSync(join(tmpdir(), "v8-flags-"));
  try {
    const logits = join(ROOT, "examples/kl/logits.npz");
    const tokenizer = join(ROOT, "examples/demo/tokenizer");
    const out = join(folder, "study");
    const args = ["kl", logits, "--reference", "dpo", "--tokenizer", tokenizer, "--out", out];
    const asked = runAfter(listen, ...args).match(/^asked: .*/gm);
    expect(new Set(asked)).toEqual(
      new Set([`asked: ${Buffer.from(DISTRIBUTION_RELAXED_WASM, "base64").length} true`]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
