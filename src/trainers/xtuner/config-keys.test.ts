import { checkDialect } from "../configs/table.test-data.ts";

const call = (args: string): string => `RolloutImportanceSampling(${args})`;
const T = "rollout_is_threshold";
const STOPS = /^the trainer stops: "upper_threshold must be greater than lower_threshold"$/;
const ON = `→ ${T}=(upper, lower)`;

checkDialect("xtuner", {
  says: [
    // Pairs are (upper, lower).
    [
      "a.py",
      call(`${T}=(0.8, 1.2)`),
      [
        `error order@1 → ${T}=(1.2, 0.8)`,
        /is \(upper, lower\), but \(0\.8, 1\.2\) is in reverse order$/,
        /have the order wrong$/,
      ],
    ],
    [
      "a.py",
      call(`${T}=(2, 0.5), rollout_is_mask_threshold=(0.1, 5)`),
      ["error order@1 → rollout_is_mask_threshold=(5, 0.1)", /have the order wrong$/],
    ],
    [
      "a.py",
      call(`${T}=(2, 0.5), rollout_is_veto_threshold=(0.01, 10)`),
      ["error order@1 → rollout_is_veto_threshold=(10, 0.01)", /every sequence is masked$/],
    ],
    [
      "a.py",
      call(`${T}=(1, 1)`),
      [
        `error order@1 → two different bounds, the upper one first, such as ${T}=(2.0, 0.5)`,
        /but both are 1$/,
        STOPS,
      ],
    ],
    [
      "a.py",
      call(`${T}=(2, 0.5), rollout_is_veto_threshold=(10, 0.01)`),
      ["note order@1", /although its docstring/],
    ],
    ["a.py", call("rollout_is_mask_threshold=(0.1, 5, 7)"), "no order"],
    // Without a threshold the rest does nothing.
    [
      "a.py",
      call("rollout_is_veto_threshold=(10, 0.01)"),
      [
        `error not-switched-on@1 ${ON}`,
        /^rollout_is_veto_threshold has no effect: rollout_is_threshold is None, xtuner's default/,
      ],
    ],
    [
      "a.py",
      call("rollout_is_mask_threshold=(5, 0.1)"),
      [`error not-switched-on@1 ${ON}`, /^rollout_is_mask_threshold has/],
    ],
    ["a.py", call(`rollout_is_mask_threshold=(5, 0.1), ${T}=None`), `error not-switched-on@1 ${ON}`],
    ["a.py", call(`rollout_is_mask_threshold=(5, 0.1), ${T}=bounds()`), "no not-switched-on"],
    ["a.py", call(`rollout_is_mask_threshold=(5, 0.1), ${T}=(2, 0.5)`), "no not-switched-on"],
    // Traps, where they are.
    [
      "a.py",
      `RolloutImportanceSampling(\n  rollout_is_mode="truncate",\n  ${T}=(2, 0.5),\n  rollout_is_mask_threshold=(5, 0.1),\n)`,
      ["warning clamps-both-sides@3", /those below 0\.5 are raised/],
      ["warning no-effect@4", /has no effect in mode truncate/],
      "note order@3",
    ],
    [
      "a.py",
      `RolloutImportanceSampling(\n  rollout_is_mode="mask",\n  ${T}=(2, 0.5),\n  rollout_is_mask_threshold=(5, 0.1),\n)`,
      "no clamps-both-sides",
      "no no-effect",
    ],
    [
      "a.yaml",
      `rollout_is:\n  ${T}: [2, 0.5]\n  rollout_is_level: sequence\nmax_response_length: 512\n`,
      ["warning product-ratio@3", /multiplies the ratios of all tokens/],
    ],
    ["a.yaml", `rollout_is:\n  ${T}: [2, 0.5]\n  rollout_is_level: token\n`, "no product-ratio"],
    // What a rule says with a line is not said again.
    [
      "a.py",
      call(`rollout_is_mode="both", ${T}=(2, 0.5), rollout_is_mask_threshold=(5, 1.1)`),
      ["error bounds-exclude-agreement@1 → bounds with 1 between them", /leave out 1/],
    ],
    // Slips.
    [
      "a.py",
      call(`rollout_is_treshold=(2, 0.5)`),
      [`error misspelt@1 → ${T}`, /^xtuner has no/, /stops at an unknown key/],
    ],
    ["a.py", call(`${T}=(2, 0.5), clip=3`), "error unknown-key@1"],
    ["a.yaml", `rollout_is:\n  ${T}: [2, 0.5]\n  elsewhere: 1\n`, "warning unknown-key@3"],
  ],
  marks: [[["rollout_is"], ["a.rollout_is", "rollout_iss"]]],
});
