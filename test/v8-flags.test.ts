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

/** What the program loads and which flags it sets, in their order. */
function listEvents(...args: string[]): string[] {
  const listen = `
    import Module from "node:module";
    import v8 from "node:v8";
    const { _load } = Module;
    const { setFlagsFromString } = v8;
    Module._load = function (name, ...rest) {
      console.log("event: load", name);
      return _load.call(this, name, ...rest);
    };
    v8.setFlagsFromString = (flag) => {
      console.log("event: flag", flag);
      setFlagsFromString(flag);
    };`;
  const events = runAfter(listen, ...args).match(/^event: .*/gm) ?? [];
  return events.map((event) => event.slice("event: ".length));
}

it("sets the flags once a verb has loaded its modules", () => {
  const events = listEvents("report", join(ROOT, "examples/demo-formats/step_0500.npz"), "--brief");
  const firstFlag = events.findIndex((event) => event.startsWith("flag "));
  const loaded = (part: string): number =>
    events.findIndex((event) => event.startsWith("load ") && event.includes(part));
  for (const part of ["chunks/report-", "/report-run-", "node:worker_threads"]) {
    expect(loaded(part)).toBeGreaterThan(-1);
    expect(loaded(part)).toBeLessThan(firstFlag);
  }
});

it("has V8 inline less, but not where a verb's loops are TypeScript's", () => {
  const flags = (verb: string): string[] =>
    listEvents(verb, "no-such-file").filter((event) => event.startsWith("flag "));
  const inlining = expect.stringContaining("--max-inlined-bytecode-size-cumulative=");
  expect(flags("report")).toContainEqual(inlining);
  expect(flags("sweep")).not.toContainEqual(inlining);
  expect(flags("sweep").length).toBe(flags("report").length - 1);
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
