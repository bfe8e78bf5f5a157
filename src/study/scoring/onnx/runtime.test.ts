import { expect, test } from "vitest";
import { failure } from "./fixtures.test-data.ts";
import { loadRuntime } from "./runtime.ts";

test("says how to install what is missing", async () => {
  const missing = async (): Promise<never> => {
    throw Object.assign(new Error("Cannot find package 'onnxruntime-node' imported from /app/x.js"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
  };
  expect(await failure(loadRuntime(missing))).toMatchObject({
    _tag: "UnsupportedError",
    message: expect.stringContaining("not installed"),
    hint: expect.stringContaining("npm install onnxruntime-node@1.30.0"),
  });
});

test("tells a package without a binary from one that is missing", async () => {
  const noBinary = async (): Promise<never> => {
    throw new Error(
      "Cannot find module '../bin/napi-v6/linux/riscv64/onnxruntime_binding.node'\nRequire stack:",
    );
  };
  expect(await failure(loadRuntime(noBinary))).toMatchObject({
    _tag: "UnsupportedError",
    message: expect.stringMatching(/does not start on this machine: Cannot find module [^\n]*$/),
  });
});
