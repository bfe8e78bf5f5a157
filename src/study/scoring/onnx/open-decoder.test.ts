import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../../../input/io/file-source.ts";
import { failure, MODELS } from "./fixtures.test-data.ts";
import { readModelConfig } from "./model-config.ts";
import { readModel } from "./model-file/read-model.ts";
import { type OpenedDecoder, openDecoder } from "./open-decoder.ts";
import { loadRuntime, type Runtime } from "./runtime.ts";
import { readSignature } from "./signature.ts";

/** onnxruntime that counts open sessions. */
async function counting(): Promise<{ runtime: Runtime; open: () => number; opened: () => number }> {
  const runtime = await loadRuntime();
  let open = 0;
  let opened = 0;
  return {
    open: () => open,
    opened: () => opened,
    runtime: {
      ...runtime,
      async open(...given) {
        const session = await runtime.open(...given);
        open++;
        opened++;
        return {
          ...session,
          async close() {
            open--;
            await session.close();
          },
        };
      },
    },
  };
}

async function opening(runtime: Runtime, name: string, maxBlockBytes: number): Promise<OpenedDecoder> {
  const folder = join(MODELS, name);
  const config = await readModelConfig([folder]);
  const source = await openFile(join(folder, "model.onnx"));
  try {
    const model = await readModel(source);
    const signature = readSignature(source.name, model.inputs, model.outputs, config);
    return await openDecoder(
      { runtime, signature, maxBlockBytes },
      { source, model, config },
      { threads: 1 },
    );
  } finally {
    await source.close();
  }
}

test.each([
  ["plain", 2 ** 20, 1],
  ["plain", 400, 2],
  ["external", 400, 2],
  ["cache", 400, 1],
  ["unsplittable", 400, 1],
])("%s within %i bytes takes %i sessions, and releases them", async (name, maxBlockBytes, sessions) => {
  const { runtime, open } = await counting();
  const { decoder } = await opening(runtime, name, maxBlockBytes);
  expect(open()).toBe(sessions);
  await decoder.close();
  expect(open()).toBe(0);
});

test.each([
  ["encoder", 2 ** 20, 1],
  ["encoder", 400, 2],
  ["cache", 100, 1],
])(
  "what was loaded is released when %s within %i bytes is refused",
  async (name, maxBlockBytes, sessions) => {
    const { runtime, open, opened } = await counting();
    expect(await failure(opening(runtime, name, maxBlockBytes))).toHaveProperty("_tag");
    expect(opened()).toBe(sessions);
    expect(open()).toBe(0);
  },
);
