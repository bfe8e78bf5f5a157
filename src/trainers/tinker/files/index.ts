/**
 * Tinker's `Datum` as `dataclasses.asdict` gives it (tinker/types/datum.py and tensor_data.py, tinker 0.38.0), or earlier
 * its `model_dump()`, or with its inputs as lists: the model's input in chunks, and `loss_fn_inputs` by the input's
 * positions, each for the token after it.
 *
 * @module
 */
import {
  isNumericArray,
  MissingSideError,
  type NumericArray,
  Unavailable,
} from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter } from "../../../input/adapters/adapter.ts";
import {
  findIn,
  listMaps,
  listNumbers,
  readObjects,
  sampleObjects,
} from "../../../input/adapters/shared/objects.ts";
import type { TreeMap } from "../../../input/io/index.ts";

/** A tensor's values, which are in its `_numpy` field, before in `data`; a plain list where it was converted by hand. */
function inputOf(datum: TreeMap, name: string): NumericArray | undefined {
  const input = findIn(datum, "loss_fn_inputs", name);
  if (isNumericArray(input)) return input;
  return listNumbers(input) ?? listNumbers(findIn(input, "_numpy")) ?? listNumbers(findIn(input, "data"));
}

/** Without a mask, positions outside of the answer have zeros for both (tinker_cookbook/rl/data_processing.py). */
function readMask(datum: TreeMap, logprobs: NumericArray): NumericArray {
  const mask = inputOf(datum, "mask");
  if (mask !== undefined) return mask;
  const advantages = inputOf(datum, "advantages");
  return Float64Array.from(logprobs, (logprob, at) => Number(logprob !== 0 || (advantages?.[at] ?? 0) !== 0));
}

function firstInput(datum: TreeMap): number | undefined {
  return listMaps(findIn(datum, "model_input", "chunks")).flatMap((chunk) => [
    ...(listNumbers(chunk.tokens) ?? []),
  ])[0];
}

function readDatum(datum: TreeMap): readonly SequenceDraft[] | Unavailable {
  const targets = inputOf(datum, "target_tokens");
  const logprobs = inputOf(datum, "logprobs");
  if (targets === undefined || logprobs === undefined)
    return new Unavailable("no target_tokens with logprobs in this row's loss_fn_inputs");
  const mask = readMask(datum, logprobs);
  const advantages = inputOf(datum, "advantages");
  const lengths = [targets, logprobs, mask, advantages ?? targets].map(({ length }) => length);
  if (new Set(lengths).size > 1)
    return new Unavailable(`its loss_fn_inputs have different lengths: ${lengths.join(", ")}`);
  const start = mask.findIndex((value) => value !== 0);
  if (start < 0) return new Unavailable("no token of this row is in its mask");
  return [
    {
      length: targets.length - start,
      responseMask: mask.slice(start),
      rolloutLogprobs: logprobs.slice(start),
      responseTokenIds: targets.slice(start),
      promptTokenIds: Float64Array.from([firstInput(datum) ?? [], [...targets.slice(0, start)]].flat()),
      advantages: advantages?.slice(start),
    },
  ];
}

export const tinker: Adapter = {
  name: "tinker",
  async detect(document) {
    const datums = sampleObjects(document).filter(
      (object) => object.model_input !== undefined && inputOf(object, "target_tokens") !== undefined,
    );
    const [first] = datums;
    if (first === undefined || inputOf(first, "logprobs") === undefined) return undefined;
    const error = new MissingSideError(
      "these are Tinker's datums: they hold the sampler's log-probs, not the trainer's",
      {
        at: { file: document.file },
        likely: "they were written before forward_backward computed the trainer's",
        hint: "write the logprobs of forward_backward's loss_fn_outputs too, and give both files",
      },
    );
    return {
      score: 0.9,
      found: [
        "rollout log-probs: loss_fn_inputs.logprobs",
        "response token ids: loss_fn_inputs.target_tokens",
      ],
      guessed:
        inputOf(first, "mask") === undefined
          ? ["response mask: not present, so tokens with log-prob 0 and advantage 0 count as not sampled"]
          : [],
      missing: ["trainer log-probs"],
      onePolicy: { has: "rollout", what: "Tinker's datums", error },
    };
  },
  async read(document, { findings }) {
    return { alignment: "token", sampling: {}, blocks: readObjects(document, findings, readDatum) };
  },
};
