import { expect, test } from "vitest";
import { buildContext } from "./token-contexts.ts";

test("the text around a token is one line of whole characters", () => {
  const tokens = ["é", "x\n", "7", "😀", "end"];
  const parts = tokens.map((text) => new TextEncoder().encode(text));
  const textOffsets = new Uint32Array(tokens.length + 1);
  for (const [i, part] of parts.entries()) textOffsets[i + 1] = textOffsets[i]! + part.length;
  const texts = Uint8Array.from(parts.flatMap((part) => [...part]));
  const ids = new Int32Array(tokens.length);
  const meta = { promptLength: 1 } as Parameters<typeof buildContext>[0]["meta"];
  const wire = { meta, ids, texts, textOffsets, flags: new Uint8Array(tokens.length) };
  expect(buildContext(wire, 1)).toEqual(["éx⏎", "7", "😀end"]);
  expect(buildContext(wire, 4)).toBeNull();
});
