import { expect, it } from "vitest";
import { findPrompts, listPrompts } from "./find-prompts.ts";

async function* briefs(...parts: readonly (readonly string[])[]) {
  for (const prompts of parts)
    yield prompts.map((prompt) => ({ spark: new Uint8Array(32), prompt, answer: "an answer" }));
}

it("lists each prompt once, with its first sequence and how many have it", async () => {
  const known = await listPrompts(
    briefs(["What is 2 + 2?", "", "What is 2 + 2?"], ["Name a prime", "What is 2 + 2?"]),
  );
  expect(findPrompts(known, "what")).toEqual({
    prompts: [{ prompt: "What is 2 + 2?", sequence: 0, sequences: 3 }],
    found: 1,
  });
  expect(findPrompts(known, "PRIME  name").prompts).toEqual([
    { prompt: "Name a prime", sequence: 3, sequences: 1 },
  ]);
  for (const text of ["", "  ", "answer", "prime 2"]) expect(findPrompts(known, text).found).toBe(0);
});

it("sends ten, those that hold the whole text first, and counts all", async () => {
  const prompts = Array.from({ length: 30 }, (_, at) =>
    at === 25 ? "add one number" : `number ${at}: add one`,
  );
  const { prompts: sent, found } = findPrompts(await listPrompts(briefs(prompts)), "one number");
  expect([sent.length, found, sent[0]!.sequence, sent[1]!.sequence]).toEqual([10, 30, 25, 0]);
});
