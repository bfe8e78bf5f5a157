import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { DISTRIBUTION_RELAXED_WASM } from "../src/core/kernels/wasm/distribution-relaxed.generated.ts";

const PROGRAM = fileURLToPath(new URL("../bin/logratio.js", import.meta.url));

it("lets a verb use relaxed SIMD, whatever Node's version", () => {
  const accepts = `WebAssembly.validate(Buffer.from("${DISTRIBUTION_RELAXED_WASM}", "base64"))`;
  const atExit = `process.on("exit", () => console.log("relaxed SIMD:", ${accepts}));`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(atExit)}`, PROGRAM, "report", "no-such-file"],
    { encoding: "utf8" },
  );
  expect(stdout).toContain("relaxed SIMD: true");
});
