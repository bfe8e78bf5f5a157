import { describe, expect, it } from "vitest";
import { checkDialect, type DialectTable, lintTold } from "../configs/table.test-data.ts";

const TIS = "→ --use-tis (or use_tis: true in the file of --custom-config-path)";
const ICEPOP = "--custom-tis-function-path x.icepop_function";
const MIS = "--custom-tis-function-path examples.train_infer_mismatch_helper.mis.compute_mis_weights";
const mis = (...lines: string[]): string => lines.map((line) => `${line}\n`).join("");

const SHARED: DialectTable["says"] = [
  // The weight is off unless the command says --use-tis.
  [
    "a.sh",
    "p train.py --tis-clip 2",
    [`error not-switched-on@1 ${TIS}`, /^--tis-clip has no effect: use_tis is off/],
  ],
  ["a.sh", "p train.py --tis-clip-low 0.5", `error not-switched-on@1 ${TIS}`],
  ["a.sh", "p train.py --tis-clip-low 0.5 --get-mismatch-metrics", "no not-switched-on"],
  ["a.sh", "p train.py --use-tis --tis-clip 2", "no not-switched-on", "no conflict"],
  ["a.sh", `p train.py ${ICEPOP}`, ["error not-switched-on@1 → --use-tis", /the function is never called$/]],
  ["a.sh", `p train.py --use-tis ${ICEPOP}`, "no not-switched-on"],
  [
    "a.sh",
    "p train.py --opsm-delta 1e-4 --use-tis",
    ["error not-switched-on@1 → --use-opsm", /use_opsm is off$/],
  ],
  ["a.sh", "p train.py --opsm-delta 1e-4 --use-opsm", "no not-switched-on"],
  // Two corrections at once.
  [
    "a.sh",
    "p train.py --use-tis --use-rollout-logprobs",
    [
      "error conflict@1 → one of the two: --use-tis corrects the mismatch, --use-rollout-logprobs clips it with PPO's ratio",
      /^--use-rollout-logprobs and --use-tis exclude each other/,
    ],
  ],
  ["a.sh", "p train.py --use-rollout-logprobs", "no conflict"],
  // mis.py takes its settings from a YAML of its own.
  [
    "a.sh",
    `p train.py --use-tis ${MIS} --custom-config-path my.yaml`,
    ["note settings-elsewhere@1 → logratio correct --lint my.yaml", /takes its bounds from my\.yaml; /],
  ],
  [
    "a.sh",
    "p train.py --use-tis --custom-tis-function-path mis:f",
    [
      "note settings-elsewhere@1 → logratio correct --lint mis.yaml",
      /from the file of --custom-config-path; /,
    ],
  ],
  ["a.sh", `p train.py --use-tis ${ICEPOP}`, "no settings-elsewhere"],
  ["a.sh", "p train.py --use-tis --custom-tis-function-path premise.f", "no settings-elsewhere"],
  [
    "a.yaml",
    mis("use_tis: true", "tis_mode: clip", "custom_tis_function_path: mis.f"),
    "no settings-elsewhere",
  ],
  // An exponent without a point is text to PyYAML.
  [
    "a.yaml",
    mis("use_tis: true", "use_rs: true", "rs_veto_threshold: 1e-4"),
    ["error read-as-text@3 → 1.0e-4", /1e-4 is text to yaml\.safe_load/],
  ],
  [
    "a.yaml",
    mis("use_tis: true", "use_rs: true", "rs_veto_threshold: -2E+4"),
    "error read-as-text@3 → -2.0e+4",
  ],
  [
    "a.yaml",
    mis("use_tis: true", "use_rs: true", "rs_veto_threshold: 12e04"),
    "error read-as-text@3 → 12.0e04",
  ],
  ["a.yaml", mis("use_tis: true", "use_rs: true", "rs_veto_threshold: 1.0e-4"), "no read-as-text"],
  ["a.yaml", mis("use_tis: true", "use_rs: true", 'rs_veto_threshold: "1e-4"'), "no read-as-text"],
  ["a.yaml", mis("use_tis: true", "use_rs: true", "rs_veto_threshold: 0.0001"), "no read-as-text"],
  ["a.sh", "p train.py --use-opsm --opsm-delta 1e-4", "no read-as-text"],
  // Rejection is off where use_rs is.
  ...["rs_level: token", "rs_lower_bound: 0.5", "rs_upper_bound: 2", "rs_veto_threshold: 0.01"].map(
    (line) =>
      [
        "a.yaml",
        mis("use_tis: true", "use_rs: false", line),
        [
          "error not-switched-on@3 → use_rs: true",
          new RegExp(`^${line.split(":")[0]} has no effect: use_rs is false$`),
        ],
      ] as const,
  ),
  ["a.yaml", mis("use_tis: true", "use_rs: true", "rs_level: token"), "no not-switched-on"],
  ...["tis_mode: clip", "tis_level: token", "tis_upper_bound: 2", "tis_lower_bound: 0.5"].map(
    (line) =>
      ["a.yaml", mis("use_tis: false", "use_rs: true", line), `error not-switched-on@3 ${TIS}`] as const,
  ),
  // Traps, where they are.
  [
    "a.yaml",
    mis("use_tis: true", "tis_mode: clip", "tis_lower_bound: null"),
    ["warning reciprocal-bound@3", /means 1 \/ tis_upper_bound/],
  ],
  [
    "a.yaml",
    mis("use_tis: true", "tis_mode: truncate", "use_rs: false", "tis_lower_bound: 0.5"),
    ["note no-effect@4", /truncate mode/],
  ],
  [
    "a.yaml",
    mis("use_tis: true", "max_response_length: 512", "tis_level: sequence"),
    ["warning product-ratio@3", /product over the sequence/],
  ],
  [
    "a.yaml",
    mis("use_tis: true", "max_response_length: 512", "use_rs: true", "rs_level: sequence"),
    ["warning product-ratio@4", /product over the sequence/],
  ],
  [
    "a.yaml",
    mis("use_tis: true", "use_rs: true", "rs_veto_threshold: 0.01"),
    ["note half-open@3", /small ratios only/],
  ],
  [
    "a.sh",
    "p train.py --use-tis \\\n --tis-clip 2 --tis-clip-low 0.5",
    ["note clamps-both-sides@2", /raised to it/],
  ],
  [
    "a.sh",
    `p train.py --use-tis \\\n ${ICEPOP} \\\n --tis-clip-low 0`,
    ["warning half-open@3", /drops nothing from below/],
  ],
  [
    "a.yaml",
    "use_tis: true\nuse_opsm: true\nuse_rollout_logprobs: false\n",
    ["note trap@2", /does not see the mismatch/],
  ],
  ["a.sh", `p train.py --use-tis ${ICEPOP} --tis-clip-low 0.5`, "no half-open", "no clamps-both-sides"],
  // Slips.
  [
    "a.sh",
    "p train.py --use-tis --tis-clp-low 0.5",
    ["error misspelt@1 → --tis-clip-low", /has no --tis-clp-low/],
  ],
];
const MARKS: DialectTable["marks"] = [
  [
    ["use_tis", "tis_clip", "tis_clip_low", "custom_tis_function_path", "use_opsm"],
    ["a.use_tis", "use_tiss", "a.tis_clip_low"],
  ],
  [
    [
      "actor_num_gpus_per_node",
      "sglang_mem_fraction_static",
      "rollout_max_response_len",
      "num_rollout",
      "n_samples_per_prompt",
    ],
    ["a.num_rollout", "num_rollouts", "my_num_rollout"],
  ],
];

checkDialect("slime", {
  says: SHARED,
  marks: MARKS,
  texts: ["num_rollout", ["slime/train.py", "Slime"], ["slimey", "aslime"]],
  known: [["", ["custom_config_path"], "use_tis: true\n"]],
});
checkDialect("miles", {
  says: SHARED,
  marks: MARKS,
  texts: [
    "num_rollout",
    ["miles/train.py", "Miles", "--use-miles-router", "--use-miles-dashboard"],
    ["smiles"],
  ],
});

describe("the preset that a config of slime means", () => {
  it.each<readonly [string, string]>([
    ...[
      "tis_mode: clip",
      "tis_level: token",
      "rs_level: token",
      "tis_upper_bound: 2",
      "rs_veto_threshold: 0.1",
      "use_rs: true",
    ].map((line) => [`use_tis: true\n${line}\n`, "slime-mis"] as const),
    ["use_tis: true\ncustom_tis_function_path: a.mis.f\n", "slime-mis"],
    ["use_tis: true\ncustom_tis_function_path: a.compute_mis_weights_with_cp\n", "slime-mis"],
    ["use_tis: true\ncustom_tis_function_path: a.premis.f\n", "slime"],
    ["use_tis: true\n", "slime"],
  ])("%s", (text, preset) => {
    expect(lintTold(text, "slime").preset).toBe(preset);
  });

  it("has the switch on in mis.yaml, and off on a command line", () => {
    const tis = (text: string, file: string): unknown =>
      lintTold(text, "slime", file).settings.find(({ name }) => name === "use_tis")?.value;
    expect(tis("tis_mode: clip\n", "mis.yaml")).toBe(true);
    expect(tis("p train.py --tis-clip 2", "run.sh")).toBe(false);
  });
});
