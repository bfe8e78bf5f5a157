import { type Dialect, type LintRule, needsSwitch } from "../shared/dialect.ts";

const SOURCE = "xtuner/v1/rl/rollout_is.py compute_rollout_importance_weights";

/** The docstring puts lower first and shows (0.8, 1.2), but the code unpacks upper first and asserts it. */
const order: LintRule = ({ found, at }) =>
  ["rollout_is_threshold", "rollout_is_mask_threshold", "rollout_is_veto_threshold"].flatMap((name) => {
    const entry = found.get(name);
    const value = entry?.value;
    if (!entry || !Array.isArray(value) || value.length !== 2) return [];
    const [first, second] = value as [number, number];
    if (first > second) return [];
    const veto = name === "rollout_is_veto_threshold";
    const equal = first === second;
    return [
      {
        severity: "error" as const,
        code: "order",
        ...at(entry),
        message: equal
          ? `${entry.key} is (upper, lower), but both are ${first}`
          : `${entry.key} is (upper, lower), but (${first}, ${second}) is in reverse order`,
        why: veto
          ? "nothing checks the veto's order: every token is then below the lower or above the upper bound, and every sequence is masked"
          : equal
            ? 'the trainer stops: "upper_threshold must be greater than lower_threshold"'
            : 'the trainer stops: "upper_threshold must be greater than lower_threshold"; its docstring and its example (0.8, 1.2) have the order wrong',
        source: SOURCE,
        instead: equal
          ? `two different bounds, the upper one first, such as ${name}=(2.0, 0.5)`
          : `${name}=(${second}, ${first})`,
      },
    ];
  });

export const xtunerDialect: Dialect = {
  preset: () => "xtuner",
  sections: ["rollout_is", ""],
  callees: ["RolloutImportanceSampling"],
  closedCallees: ["RolloutImportanceSampling"],
  example: "RolloutImportanceSampling(…)",
  marks: [/^rollout_is$/],
  textMarks: [/from xtuner\b/, /xtuner\/v1/],
  knownKeys: [],
  unknownKeys: { effect: "refused", source: 'xtuner/v1/rl/rollout_is.py: ConfigDict(extra="forbid")' },
  rules: [
    order,
    needsSwitch({
      settings: ["rollout_is_veto_threshold", "rollout_is_mask_threshold"],
      isOff: ({ settings, found }) =>
        settings.rollout_is_threshold === null && !found.get("rollout_is_threshold")?.unsure,
      off: "rollout_is_threshold is None, xtuner's default: no weights, no mask, no veto",
      source: SOURCE,
      instead: "rollout_is_threshold=(upper, lower)",
    }),
  ],
};
