import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { parseCondition } from "../conditions/condition.ts";
import { parseFigureName } from "../conditions/figure-name.ts";
import type { Baseline } from "../gate/baseline.ts";
import { parseAlertRules } from "./alert-rules.ts";
import { parseBaseline, writeBaseline } from "./baseline-file.ts";

/** `TAG line N: message (hint)` of what a reader throws. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    const { line, file } = (error.at ?? {}) as { line?: number; file?: string };
    expect(file).toBe("f.yaml");
    return `${error._tag} line ${line}: ${error.message} (${error.hint ?? "no hint"})`;
  }
  return "accepted";
}

const rules = (text: string) => parseAlertRules(text, "f.yaml");
const WHOLE = `version: 1
notify:
  page:
    webhook: https://example.org/hook
    secret_env: HOOK_SECRET
  chat:
    webhook_env: CHAT_URL
  log:
    command: [logger, -t, logratio]
rules:
  - when: k3 >= 0.1
    clear: k3 <= 0.05
    name: kl
    notify: [page, log]
  - when: changed(unit_mean)
`;

describe("rules of alerts", () => {
  it("are read with their channels, names and conditions", () => {
    expect(rules(WHOLE)).toEqual({
      channels: [
        {
          name: "page",
          kind: "webhook",
          url: { text: "https://example.org/hook" },
          secretEnv: "HOOK_SECRET",
        },
        { name: "chat", kind: "webhook", url: { env: "CHAT_URL" }, secretEnv: null },
        { name: "log", kind: "command", words: ["logger", "-t", "logratio"] },
      ],
      rules: [
        {
          name: "kl",
          when: parseCondition("k3 >= 0.1"),
          clear: parseCondition("k3 <= 0.05"),
          notify: ["page", "log"],
        },
        {
          name: "changed(unit_mean)",
          when: parseCondition("changed(unit_mean)"),
          clear: null,
          notify: null,
        },
      ],
    });
    expect(rules("version: 1\nrules: [{ when: k3 > 1 }]").channels).toEqual([]);
  });

  const swap = (from: string, to: string) => WHOLE.replace(from, to);
  it.each([
    [swap("version: 1", "version: 2"), /line 1: version must be 1 \(update logratio/],
    [swap("version: 1\n", ""), /the file has no "version"/],
    ["version: 1\nrules: []", /line 2: rules has no rule/],
    [
      `version: 1\nrules:\n${Array.from({ length: 1001 }, (_, i) => `  - when: k3 > ${i}\n`).join("")}`,
      /rules has 1001 rules, more than 1000/,
    ],
    [
      `${WHOLE}  - when: k3 > 2\n    name: kl\n`,
      /line 16: rules\[2\] has the name of another rule: kl \(name it/,
    ],
    [`${WHOLE}more: 1\n`, /line 16: more is not a known key \(known are version, notify, rules\)/],
    [swap("command: [", "other: ["), /SchemaError line 9: notify.log.other is not a known key/],
    [
      swap("    webhook_env: CHAT_URL", "    secret_env: A"),
      /line 6: notify.chat needs one of command, webhook/,
    ],
    [
      swap("    webhook_env: CHAT_URL", "    webhook_env: A\n    webhook: http://a"),
      /notify.chat needs one of command, webhook and webhook_env/,
    ],
    [
      swap("[logger, -t, logratio]", "logger"),
      /line 9: notify.log.command must be a list of words: no shell/,
    ],
    [swap("[logger, -t, logratio]", "[]"), /notify.log.command has no word/],
    [swap("    command:", "    secret_env: A\n    command:"), /secret_env applies to webhooks only/],
    [swap("HOOK_SECRET", "1HOOK"), /must be the name of an environment variable/],
    [swap("HOOK_SECRET", "HOOK-SECRET"), /must be the name of an environment variable/],
    [swap("https://example.org/hook", "ftp://example.org"), /must be an http or https address/],
    [swap("https://example.org/hook", "hook"), /must be an http or https address/],
    [swap("https://example.org", "https://me:secret@example.org"), /holds a password \(keep the address out/],
    [swap("https://example.org", "https://me@example.org"), /holds a password/],
    [swap("[page, log]", "[pager]"), /line 14: .* names no channel: pager \(channels are page, chat, log\)/],
    ["version: 1\nrules: [{ when: k3 > 1, notify: [a] }]", /\(channels are none: add them under notify:\)/],
    [swap("k3 <= 0.05", "verdict <= normal"), /line 12: .*clear must be a condition of the same kind/],
    [swap("k3 <= 0.05", "per_step.k3 <= 0.05"), /clear must be of the same steps/],
    [swap("changed(unit_mean)", "changed(unit_mean)\n    clear: k3 < 1"), /a change is raised once/],
    [swap("k3 >= 0.1", "k33 >= 0.1"), /SchemaError line 11: rules\[0\]\.when: /],
    [swap("    name: kl", "    name: 7"), /rules\[0\]\.name must be a text/],
    [swap("    name: kl", '    name: " "'), /rules\[0\]\.name must be a text/],
    [swap("rules:\n", "rules: x\nother:\n"), /rules must be a list/],
    [swap("  - when: changed(unit_mean)", "  - changed"), /rules\[1\] must be a map of keys and values/],
  ])("are refused with the line: case %#", (text, message) => {
    expect(refusal(() => rules(text))).toMatch(message);
  });
});

describe("any of these files", () => {
  it.each([
    ["a: [1", /FormatError line 1: cannot parse the file: /],
    ["a: 1\na: 2", /FormatError line 2: cannot parse the file: Map keys must be unique/],
    ["", /EmptyInputError line undefined: the file is empty/],
    ["# nothing", /the file is empty/],
    ["- 1", /SchemaError line 1: the file must be a map of keys and values/],
    ["a: &x 1\nb: *x", /SchemaError line 2: aliases \(\*name\) are not allowed here/],
    ["#".repeat((4 << 20) + 1), /LimitError .*: more than 4 MiB of text/],
  ])("is refused: case %#", (text, message) => {
    expect(refusal(() => rules(text))).toMatch(message);
    expect(refusal(() => parseBaseline(text, "f.yaml"))).toMatch(message);
  });
});

const BASELINE: Baseline = {
  alpha: 0.05,
  runs: [
    { name: "a", date: "2024-03-05", files: 2, prompts: 40, sha256: "aa" },
    { name: "b", date: null, files: 1, prompts: null, sha256: null },
    { name: "c", date: null, files: 1, prompts: 30, sha256: "cc" },
    { name: "d", date: null, files: 1, prompts: 30, sha256: "dd" },
  ],
  checks: [
    {
      figure: parseFigureName("k3"),
      scale: "log",
      values: [0.00123456789, 0.002, 0.0015, null],
      errors: [0.0123456, null, 0.02, null],
    },
    {
      figure: parseFigureName("ess"),
      scale: "below_one",
      values: [0.9912345678912, 0.99, null, null],
      errors: [null, null, null, null],
    },
  ],
  limits: [{ condition: parseCondition("delta_abs_mean <= 0.1") }],
};

describe("a baseline's file", () => {
  const text = writeBaseline(BASELINE);
  const swap = (from: string | RegExp, to: string) => text.replace(from, to);

  it("says what it is, and has a line for each list", () => {
    expect(text).toMatch(/^# A baseline of logratio gate\./);
    expect(text).toContain(
      "kind: logratio-baseline\nversion: 1\nalpha: 0.05\n\nlimits:\n  - delta_abs_mean <= 0.1\n\nruns:",
    );
    expect(text).toContain("    values: [0.001234568, 0.002, 0.0015, null]\n");
    expect(text).toContain("    errors: [0.0123, null, 0.02, null]\n");
    // Of what is near 1 the digits behind the nines count.
    expect(text).toContain("values: [0.99123456789, 0.99, null, null]");
    // Too few runs have it for a corridor.
    expect(text).toMatch(/ess:\n {4}low: null\n {4}high: null\n/);
    expect(writeBaseline({ ...BASELINE, limits: [] })).not.toContain("limits:");
  });

  it("is read as it was written, and written again the same", () => {
    const read = parseBaseline(text, "f.yaml");
    expect(read.alpha).toBe(0.05);
    expect(read.runs).toEqual(BASELINE.runs);
    expect(read.limits).toMatchObject([{ condition: { text: "delta_abs_mean <= 0.1" }, line: 9 }]);
    expect(read.checks.map(({ figure, scale }) => [figure.text, scale])).toEqual([
      ["k3", "log"],
      ["ess", "below_one"],
    ]);
    expect(read.checks[0]!.values).toEqual([0.001234568, 0.002, 0.0015, null]);
    expect(read.checks[0]!.line).toBeGreaterThan(read.limits[0]!.line!);
    expect(Object.keys(read.checks[0]!)).not.toContain("low");
    expect(writeBaseline(read)).toBe(text);
  });

  it("keeps limits and their comments when it is written over another", () => {
    const before = text.replace("  - delta_abs_mean <= 0.1", "  # why\n  - delta_abs_mean <= 0.1 # and when");
    expect(writeBaseline(BASELINE, before)).toBe(before);
    expect(writeBaseline({ ...BASELINE, limits: [] }, "kind: x")).not.toContain("limits:");
  });

  it.each([
    [swap("kind: logratio-baseline", "kind: other"), /SchemaError line 1: not a baseline of logratio gate/],
    [swap("kind: logratio-baseline\n", ""), /not a baseline of logratio gate/],
    [
      swap("version: 1", "version: 2"),
      /VersionError line \d+: version 2 of a baseline, this logratio reads 1/,
    ],
    [swap("alpha: 0.05", "alpha: 0"), /alpha must lie between 0 and 1/],
    [swap("alpha: 0.05", "alpha: 1"), /alpha must lie between 0 and 1/],
    [swap("alpha: 0.05", "alpha: .nan"), /alpha must be a finite number/],
    [swap("files: 2", "files: 0"), /runs\[0\]\.files must be a positive integer/],
    [swap("files: 2", "files: 1.5"), /runs\[0\]\.files must be a positive integer/],
    [swap("prompts: 40", "prompts: many"), /runs\[0\]\.prompts must be a finite number/],
    [swap("name: a", "name: a\n    more: 1"), /runs\[0\]\.more is not a known key/],
    [swap("scale: log", "scale: cubic"), /checks\.k3\.scale must be one of linear, log, below_one, root/],
    [swap("    scale: log\n", ""), /checks\.k3 has no "scale"/],
    [
      swap(/values: \[0.0012.*\]/, "values: [1, 2]"),
      /checks\.k3\.values has 2 entries, but there are 4 runs/,
    ],
    [swap(/low: \d\S*/, "low: 0.5"), /checks\.k3 has the corridor 0\.500 to .*, but its values give /],
    [swap(/high: \d\S*/, "high: null"), /checks\.k3 has the corridor .*run --update again/],
    [swap("k3:", "k33:"), /SchemaError line \d+: checks\.k33: /],
    [swap("delta_abs_mean <= 0.1", "delta_abs_mean ?? 0.1"), /limits\[0\]: /],
    [`${text}more: 1\n`, /more is not a known key/],
  ])("is refused where it was changed: case %#", (changed, message) => {
    expect(changed).not.toBe(text);
    expect(refusal(() => parseBaseline(changed, "f.yaml"))).toMatch(message);
  });
});
