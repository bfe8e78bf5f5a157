import {
  digitLogProbs,
  digitProxy,
  logSumExp,
  numberTokenLoss,
  takeDigitTokens,
} from "../../analyses/digits/index.ts";
import { SchemaError } from "../../core/base/index.ts";
import { encodedNumber, type Fields, numbers, type Runner } from "./case.ts";

export const digitsRunners: Readonly<Record<string, Runner>> = { ntl: numberTokens };

/** `logits` `[B, T, V]` are the distributions from which `token_ids` were drawn. */
function numberTokens(inputs: Fields): Fields {
  const logits = list(inputs.logits, "logits").map((row) => list(row, "logits[b]").map(numbers));
  const tokenIds = list(inputs.token_ids, "token_ids").map(numbers);
  const ids = numbers(inputs.digit_token_ids);
  const selected = tokenIds.map((row, b) =>
    row.map((id, t) => {
      const position = logits[b]?.[t] ?? [];
      return (position[id] ?? Number.NaN) - logSumExp(position);
    }),
  );
  const { digit_positions, digit_ground_truth, ...proxy } = digitProxy(takeDigitTokens(ids), {
    token_ids: tokenIds,
    log_probs: selected,
  });
  const targets = { digit_positions, digit_ground_truth };
  const digits = logits.map((row) => row.map((position) => digitLogProbs(position, ids)));
  return {
    digit_log_probs: digits.map((row) => row.map((position) => Array.from(position, encodedNumber))),
    ...targets,
    mse: numberTokenLoss(digits, targets, "mse"),
    wasserstein: numberTokenLoss(digits, targets, "wasserstein"),
    proxy,
  };
}

function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new SchemaError(`cannot run the case: inputs.${name} is not a list`);
  return value;
}
