import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { isCorrect, recordFacts } from "./record-facts.ts";

const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
function pack(...drafts: Partial<SequenceDraft>[]) {
  const builder = createRecordBuilder({ provenance, keepDetails: true });
  for (const draft of drafts)
    builder.push({
      length: 3,
      responseMask: Uint8Array.of(1, 1, 1),
      rolloutLogprobs: Float64Array.of(-1, -2, -3),
      trainerLogprobs: Float64Array.of(-1, -2, -4),
      ...draft,
    });
  return builder.flush();
}

describe("isCorrect", () => {
  it.each([
    [{ correctness: 1, reward: -1 }, true],
    [{ correctness: 0, reward: 1 }, false],
    [{ reward: 0.5 }, true],
    [{ reward: 0 }, false],
    [{ reward: -1 }, false],
    [{}, null],
  ])("%j: what the source says, else a reward above 0", (draft, correct) => {
    expect(isCorrect(pack(draft), 0)).toBe(correct);
  });
});

describe("recordFacts", () => {
  // The second of two sequences, so that places in the batch and in the sequence differ.
  const second = (draft: Partial<SequenceDraft>, token: number, context = 1) =>
    recordFacts(pack({ responseTokenIds: Int32Array.of(1, 2, 3) }, draft), context)(1, token);

  it("finds the token again: its row, its place, its context within the sequence", () => {
    const at = (token: number) =>
      second({ responseTokenIds: Int32Array.of(7, 8, 9), row: 5, step: 2 }, token);
    expect(at(1).known).toMatchObject({
      batch_idx: 5,
      position: 1,
      sequence_length: 3,
      token_id: 8,
      rollout_logprob: -2,
      context_start_pos: 0,
      context_end_pos: 3,
      response_num_tokens: 3,
      handle: "s2.q5.t1",
    });
    expect(at(0).known).toMatchObject({ context_start_pos: 0, context_end_pos: 2 });
    expect(at(2).known).toMatchObject({ context_start_pos: 1, context_end_pos: 3, actor_logprob: -4 });
    expect([...at(2).contextIds!]).toEqual([8, 9]);
    expect([...at(2).responseIds!]).toEqual([7, 8, 9]);
  });

  it("knows a token id of 0, and takes a negative one for unknown", () => {
    const at = (token: number) => second({ responseTokenIds: Int32Array.of(0, -1, 9) }, token).known.token_id;
    expect([at(0), at(1), at(2)]).toEqual([0, null, 9]);
  });

  it("leaves out what is not the policy's own", () => {
    const facts = second(
      { responseMask: Uint8Array.of(1, 0, 1), responseTokenIds: Int32Array.of(7, 8, 9) },
      2,
    );
    expect(facts.known.response_num_tokens).toBe(2);
    expect([...facts.responseIds!]).toEqual([7, 9]);
  });

  it("says how wide the prompt's array was, how much of that is padding, and what is left", () => {
    const details = {
      attention: Uint8Array.of(1, 1, 1),
      inputTokenIds: Int32Array.of(7, 8, 9),
      promptWidth: 10,
      promptPadding: 4,
    };
    const known = second({ details, promptTokenIds: Int32Array.of(5, 5) }, 0).known;
    expect(known).toMatchObject({
      prompt_num_tokens: 2,
      num_prompt_padding_tokens: 4,
      prompt_length_with_padding: 10,
      prompt_length_without_padding: 6,
      attention_mask_value: 1,
      input_ids_token_id: 7,
    });
    const none = second({ details: { ...details, promptPadding: 0 } }, 0).known;
    expect(none).toMatchObject({ num_prompt_padding_tokens: 0, prompt_length_without_padding: 10 });
    expect(second({ promptTokenIds: Int32Array.of(5, 5) }, 0).known).toMatchObject({
      num_prompt_padding_tokens: null,
      prompt_length_with_padding: null,
      prompt_length_without_padding: 2,
    });
    expect(second({}, 0).known).toMatchObject({
      prompt_num_tokens: null,
      prompt_length_without_padding: null,
    });
  });
});
