/**
 * Digests of weights, as `logratio.weight_digest` of the Python package writes them into `rollout_weights` and
 * `trainer_weights`. docs/formats/record.md describes the form.
 */

interface WeightDigest {
  /** Number types of the tensors. */
  readonly dtypes: readonly string[];
  /** Digest of their names and shapes: only digests of the same ones can be compared. */
  readonly names: string;
  readonly exact: string;
  /** Digest of the values rounded to bfloat16. */
  readonly rounded: string;
}

const FORM = /^logratio-weights-1:([\w+]+):\d+:([0-9a-f]{16}):([0-9a-f]{16}):([0-9a-f]{16})$/;

function readDigest(text: string): WeightDigest | undefined {
  const [, dtypes, names, exact, rounded] = FORM.exec(text) ?? [];
  if (dtypes === undefined) return undefined;
  return { dtypes: dtypes.split("+"), names: names!, exact: exact!, rounded: rounded! };
}

/**
 * What two sides' weights have to do with each other:
 *
 * - `equal`: the same values, whatever their number types.
 * - `rounded`: the same values after rounding to bfloat16.
 * - `different`: other values.
 * - `unknown`: other names or shapes of tensors, a rounding other than to bfloat16, or texts of another program, which
 *   may name the same weights differently.
 */
export type WeightRelation = "equal" | "rounded" | "different" | "unknown";

/** Number types that hold a bfloat16 exactly. */
const AS_BFLOAT16 = new Set(["bfloat16", "float32", "float64"]);

export function relateWeights(a: string, b: string): WeightRelation {
  if (a === b) return "equal";
  const [one, other] = [readDigest(a), readDigest(b)];
  if (one === undefined || other === undefined || one.names !== other.names) return "unknown";
  if (one.exact === other.exact) return "equal";
  if (one.rounded === other.rounded) return "rounded";
  const types = new Set([...one.dtypes, ...other.dtypes]);
  const onlyBfloat16 = [...types].every((type) => AS_BFLOAT16.has(type));
  return onlyBfloat16 || types.size === 1 ? "different" : "unknown";
}

/** Keys under which weights are found again: equal `rounded` keys mean `equal` or `rounded` weights. */
export function weightKeys(text: string): { readonly exact: string; readonly rounded: string } {
  const digest = readDigest(text);
  if (digest === undefined) return { exact: text, rounded: text };
  const { names, exact, rounded } = digest;
  return { exact: `${names}:${exact}`, rounded: `${names}:${rounded}` };
}
