import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import type { RaisedAlert } from "../../results/alerts.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { parseAlertRules } from "../rule-files/alert-rules.ts";
import { judgeNow, type PresentCondition } from "./episodes.ts";
import { type AlertState, evaluateAlerts, NO_ALERTS } from "./evaluate-alerts.ts";
import { listRaised } from "./list-raised.ts";

const BIG = { tokens: 1e5, sequences: 1000 };

function makeReport(k3: readonly (number | null)[], more: object = {}): MismatchReport {
  return {
    kind: "report",
    run: "run",
    metrics: BIG,
    intervals: {},
    verdict: { level: "normal", level_range: ["normal", "normal"], headline: "as usual" },
    identity: { failures: [] },
    excluded: { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0 },
    watch: { alarms: [] },
    per_step: k3.map((value, at) => ({ step: at + 1, k3: value })),
    ...more,
  } as unknown as MismatchReport;
}

const rulesOf = (text: string) => parseAlertRules(`version: 1\nrules:\n${text}`, "rules.yaml");

/** The ids that are raised at each look, with state passed on as JSON, as a restart does. */
function look(rules: ReturnType<typeof rulesOf>, reports: readonly MismatchReport[]): string[][] {
  let state: AlertState = NO_ALERTS;
  return reports.map((report) => {
    const change = evaluateAlerts(report, rules, JSON.parse(JSON.stringify(state)) as AlertState, "r");
    state = change.state;
    return [
      ...change.raised.map(({ alert }) => alert.id),
      ...change.over.map(({ repeats }) => `over ${repeats}`),
    ];
  });
}

describe("a rule on steps", () => {
  const rules = rulesOf("  - {name: high, when: per_step.k3 > 1}");
  it("is raised once for each stretch, counts the steps after, and is raised again after it was over", () => {
    const all = [0, 2, 3, 4, 0.5, 5, 6];
    const reports = all.map((_, at) => makeReport(all.slice(0, at + 1)));
    expect(look(rules, reports)).toEqual([[], ["r:high:step 2"], [], [], ["over 2"], ["r:high:step 6"], []]);
  });

  it("goes on at a step that does not have the figure that clears it", () => {
    const cleared = rulesOf("  - {name: high, when: per_step.k3 > 1, clear: per_step.ess > 0.9}");
    const steps = [
      { step: 1, k3: 2, ess: 0.1 },
      { step: 2, k3: 0 },
      { step: 3, k3: 0, ess: 0.95 },
      { step: 4, k3: 2, ess: 0.1 },
    ];
    const reports = steps.map((_, at) => makeReport([], { per_step: steps.slice(0, at + 1) }));
    expect(look(cleared, reports)).toEqual([["r:high:step 1"], [], ["over 0"], ["r:high:step 4"]]);
  });

  it("misses nothing between two looks, and nothing of a run that was looked at late", () => {
    expect(look(rules, [makeReport([2, 0, 3, 0])])).toEqual([["r:high:step 1", "r:high:step 3"]]);
  });

  it("does not take a step that is read again for a second event", () => {
    expect(look(rules, [makeReport([0, 0, 2]), makeReport([0, 2, 2]), makeReport([0, 2, 2, 2])])).toEqual([
      ["r:high:step 3"],
      [],
      [],
    ]);
  });

  it("takes what began elsewhere than thought for the same event as long as the two overlap", () => {
    // Step 3 and 4 come down when their last ranks are in; what goes on at step 5 was told of as step 3.
    const looks = [
      [0, 0, 2],
      [0, 0, 2, 2, 2],
      [0, 0, 0, 0, 2, 2],
      [0, 0, 0, 0, 0, 2, 2],
    ];
    expect(
      look(
        rules,
        looks.map((one) => makeReport(one)),
      ),
    ).toEqual([["r:high:step 3"], [], [], []]);
    const again = [
      [0, 0, 0, 2],
      [0, 2, 0, 2],
      [0, 2, 0, 2, 0, 2],
    ];
    expect(
      look(
        rules,
        again.map((one) => makeReport(one)),
      ),
    ).toEqual([["r:high:step 4"], ["r:high:step 2"], ["r:high:step 6"]]);
  });

  it("raises an event at steps without a number once", () => {
    const unnumbered = makeReport([], { per_step: [{ step: null, k3: 2 }] });
    const begun = makeReport([], {
      per_step: [
        { step: 1, k3: 0 },
        { step: 2, k3: 2 },
        { step: null, k3: 2 },
      ],
    });
    expect(look(rules, [unnumbered, unnumbered, begun, begun]).flat()).toEqual([
      "r:high:step null",
      "r:high:step 2",
    ]);
  });

  it("raises each of very many events once, though it remembers only the latest hundred", () => {
    const all = Array.from({ length: 800 }, (_, at) => (at % 4 === 3 ? 2 : 0));
    const first = evaluateAlerts(makeReport(all.slice(0, 600)), rules, NO_ALERTS, "r");
    expect(first.raised).toHaveLength(150);
    expect(first.state.rules.high!.raised).toHaveLength(100);
    const second = evaluateAlerts(makeReport(all), rules, first.state, "r");
    expect(second.raised.map(({ alert }) => alert.since)).toEqual(
      Array.from({ length: 50 }, (_, at) => 604 + 4 * at),
    );
    expect(second.state.rules.high!.raised.map(({ since }) => since)).toEqual(
      Array.from({ length: 100 }, (_, at) => 404 + 4 * at),
    );
    // An older one of a step that comes late is told of, and takes the place of the oldest.
    const late = makeReport(all.map((value, at) => (at === 505 ? 2 : value)));
    const third = evaluateAlerts(late, rules, second.state, "r");
    expect(third.raised.map(({ alert }) => alert.since)).toEqual([506]);
    expect(evaluateAlerts(late, rules, third.state, "r").raised).toEqual([]);
    // Where it has become the oldest that is remembered, those between are forgotten, and still not raised again.
    const more = Array.from({ length: 1196 }, (_, at) => (at % 4 === 3 || at === 505 ? 2 : 0));
    const fourth = evaluateAlerts(makeReport(more), rules, third.state, "r");
    expect(fourth.raised).toHaveLength(99);
    expect(evaluateAlerts(makeReport(more), rules, fourth.state, "r").raised).toEqual([]);
  });

  it("is not changed by a step without a finite value", () => {
    expect(look(rules, [makeReport([2, null, 2])])).toEqual([["r:high:step 1"]]);
  });

  it("is raised again only after its other condition, if it has one", () => {
    const swinging = [2, 0.9, 2, 0.9, 2, 0.4, 2];
    expect(look(rules, [makeReport(swinging)])[0]).toHaveLength(4);
    const calm = rulesOf("  - {name: high, when: per_step.k3 > 1, clear: per_step.k3 < 0.5}");
    expect(look(calm, [makeReport(swinging)])).toEqual([["r:high:step 1", "r:high:step 7"]]);
  });
});

describe("a rule on the run so far", () => {
  const withInterval = (low: number, high: number): MismatchReport =>
    makeReport([1], {
      metrics: { ...BIG, k3: (low + high) / 2 },
      intervals: { k3: { low, high, clusters: 50, reason: null } },
    });

  it("is raised when its interval is beyond, and again after it was shown not to be", () => {
    const rules = rulesOf("  - when: k3 > 1");
    const reports = [
      withInterval(0.5, 3),
      withInterval(1.5, 3),
      withInterval(0.8, 3),
      withInterval(2, 3),
      withInterval(0.1, 0.5),
      withInterval(2, 3),
    ];
    expect(look(rules, reports)).toEqual([[], ["r:k3 > 1:step 1"], [], [], ["over 1"], ["r:k3 > 1:step 1"]]);
  });

  it("keeps in its state where it was raised", () => {
    const { state } = evaluateAlerts(withInterval(2, 3), rulesOf("  - when: k3 > 1"), NO_ALERTS, "r");
    expect(state.rules["k3 > 1"]!.raised).toEqual([{ key: "step 1", since: 1, last: 1 }]);
  });

  it("is raised again only after its other condition was shown to hold, if it has one", () => {
    const rules = rulesOf("  - {name: high, when: k3 > 1, clear: k3 < 0.5}");
    const looks = [
      withInterval(2, 3),
      withInterval(0.7, 0.9),
      withInterval(2, 3),
      withInterval(0.4, 0.6),
      withInterval(0.1, 0.4),
      withInterval(0.1, 0.4),
      withInterval(2, 3),
    ];
    expect(look(rules, looks)).toEqual([["r:high:step 1"], [], [], [], ["over 1"], [], ["r:high:step 1"]]);
  });

  it("has an event for each time, numbered where the run has no steps", () => {
    const unnumbered = (k3: number) => makeReport([], { metrics: { ...BIG, k3 } });
    const looks = [unnumbered(2), unnumbered(0), unnumbered(2)];
    expect(look(rulesOf("  - {name: high, when: k3 > 1}"), looks)).toEqual([
      ["r:high:event 1"],
      ["over 0"],
      ["r:high:event 2"],
    ]);
  });

  it("gives each of very many events a number of its own, though it remembers only the latest hundred", () => {
    const looks = Array.from({ length: 250 }, (_, at) =>
      makeReport([], { metrics: { ...BIG, k3: at % 2 === 0 ? 2 : 0 } }),
    );
    const raised = look(rulesOf("  - {name: high, when: k3 > 1}"), looks)
      .flat()
      .filter((id) => id.startsWith("r:"));
    expect(raised).toEqual(Array.from({ length: 125 }, (_, at) => `r:high:event ${at + 1}`));
  });

  it("is not over because the figure is not known", () => {
    const unknown = makeReport([1], { metrics: { ...BIG, k3: null } });
    const rules = rulesOf("  - when: k3 > 1");
    expect(look(rules, [withInterval(2, 3), unknown, withInterval(2, 3)]).flat()).toEqual([
      "r:k3 > 1:step 1",
    ]);
    const logged = rulesOf("  - when: mean(logged.kl) > 1");
    const series = (metric: string, value: number): SeriesReport =>
      ({
        kind: "series",
        files: [],
        series: [{ metric, steps: [1], values: [value] }],
        findings: [],
      }) as never;
    const seen = [series("kl", 2), series("other", 2), series("kl", Number.NaN), series("kl", 0)];
    expect(look(logged, seen as never)).toEqual([["r:mean(logged.kl) > 1:event 1"], [], [], ["over 0"]]);
  });

  it("says nothing of a run that is too small, but of tokens that are not finite", () => {
    const rules = rulesOf("  - when: k3 > 1\n  - when: non_finite_tokens > 0");
    const small = { ...withInterval(2, 3), metrics: { tokens: 10, sequences: 1, k3: 2.5 } } as MismatchReport;
    const odd = { ...small, excluded: { ...small.excluded, missing: 3 } };
    expect(look(rules, [small, odd])).toEqual([[], ["r:non_finite_tokens > 0:step 1"]]);
  });

  it("may be on the verdict and on the identity tests", () => {
    const rules = rulesOf("  - when: verdict >= high\n  - when: identity.failures >= 1");
    const bad = makeReport([1], {
      verdict: { level: "high", level_range: ["high", "broken"], headline: "far off" },
      identity: { failures: [{}] },
    });
    const { raised } = evaluateAlerts(bad, rules, NO_ALERTS, "r");
    expect(raised.map(({ alert }) => alert.text)).toEqual([
      "the verdict is high: far off",
      "identity.failures is 1.00 (identity.failures >= 1)",
    ]);
    expect(look(rules, [makeReport([1])])).toEqual([[]]);
  });
});

it("raises each change once, by the test that holds for the whole run", () => {
  const alarm = (test: string, since: number) => ({
    test,
    since,
    at: since + 2,
    text: `since step ${since}: it changed`,
  });
  const rules = rulesOf("  - when: changed(delta_abs_mean)\n  - {name: any, when: changed}");
  const before = makeReport([1]);
  const first = makeReport([1], { watch: { alarms: [alarm("delta_abs_mean", 4)] } });
  // What is known later may move the change point.
  const later = makeReport([1], { watch: { alarms: [alarm("delta_abs_mean", 3), alarm("unit_mean", 9)] } });
  expect(look(rules, [before, first, later])).toEqual([
    [],
    ["r:changed(delta_abs_mean):delta_abs_mean", "r:any:delta_abs_mean"],
    ["r:any:unit_mean"],
  ]);
  // Two tests may notice at the same time, and what happened is never over, even of a run that was begun again.
  const both = makeReport([1], { watch: { alarms: [alarm("delta_abs_mean", 4), alarm("unit_mean", 5)] } });
  expect(look(rules, [first, both, before])).toEqual([
    ["r:changed(delta_abs_mean):delta_abs_mean", "r:any:delta_abs_mean"],
    ["r:any:unit_mean"],
    [],
  ]);
});

describe("what holds now", () => {
  const now = (when: string, results: MismatchReport | SeriesReport) => {
    const [rule] = rulesOf(`  - when: ${when}`).rules;
    return judgeNow(results, rule!.when as PresentCondition);
  };
  const small = { tokens: 10, sequences: 2, k3: 4 };
  const logged = {
    kind: "series",
    files: [],
    series: [{ metric: "kl", steps: [1], values: [2] }],
    findings: [],
  };

  it.each([
    ["k3 > 1", makeReport([1], { metrics: small })],
    ["k3 > 1", makeReport([1], { metrics: { ...BIG, k3: null } })],
    ["k3 > 1", logged as unknown as SeriesReport],
    ["mean(logged.other) > 1", logged as unknown as SeriesReport],
    ["verdict >= none", logged as unknown as SeriesReport],
  ])("nothing is shown of %s where it is not known", (when, results) => {
    expect(now(when, results)).toEqual({ holding: "open", value: null, what: when });
  });

  it("counts and logged metrics are known of any run", () => {
    const few = makeReport([1], { metrics: small, logged });
    expect(now("tokens > 1", few).holding).toBe("holds");
    expect(now("mean(logged.kl) > 1", few)).toEqual({
      holding: "holds",
      value: 2,
      what: "mean(logged.kl) is 2.00",
    });
    expect(now("excluded.missing > 1", few).holding).toBe("fails");
  });
});

describe("a file of rules", () => {
  it.each([
    ["", /EmptyInputError.*the file is empty/],
    ["version: 2\nrules: []", /SchemaError 1: version must be 1/],
    ["rules: []", /the file has no "version"/],
    ["version: 1", /has no "rules"/],
    ["version: 1\nrules: []", /SchemaError 2: rules has no rule/],
    [
      "version: 1\nrules:\n  - when: k3 > 1\n    nmae: x",
      /SchemaError 4: rules\[0\]\.nmae is not a known key .*known are when, clear, notify, name/,
    ],
    ["version: 1\nrules:\n  - name: x", /SchemaError 3: rules\[0\] has no "when"/],
    ["version: 1\nrules:\n  - when: k4 > 1", /SchemaError 3: rules\[0\]\.when: there is no figure "k4"/],
    ["version: 1\nrules:\n  - when: 7", /rules\[0\]\.when must be a text/],
    [
      "version: 1\nrules:\n  - when: k3 > 1\n  - when: k3>1",
      /SchemaError 4: rules\[1\] has the name of another rule/,
    ],
    [
      "version: 1\nrules:\n  - when: changed\n    clear: changed",
      /SchemaError 4: .*clear must be a condition of the same kind/,
    ],
    ["version: 1\nrules:\n  - when: per_step.k3 > 1\n    clear: k3 < 1", /clear must be of the same steps/],
    [
      "version: 1\nrules:\n  - when: k3 > 1\n    notify: [ops]",
      /names no channel: ops .*none: add them under notify/,
    ],
    [
      "version: 1\nnotify:\n  ops: {}\nrules: []",
      /SchemaError 3: notify\.ops needs one of command, webhook and webhook_env/,
    ],
    ["version: 1\nnotify:\n  ops: {webhook: 'file:///etc'}\nrules: []", /must be an http or https address/],
    ["version: 1\nnotify:\n  ops: {webhook: 'https://me:pw@x'}\nrules: []", /holds a password/],
    [
      "version: 1\nnotify:\n  ops: {webhook: 'https://x', secret: abc}\nrules: []",
      /notify\.ops\.secret is not a known key/,
    ],
    ["version: 1\nnotify:\n  ops: {webhook_env: 'a b'}\nrules: []", /name of an environment variable/],
    [
      "version: 1\nnotify:\n  ops: {command: rm -rf /}\nrules: []",
      /must be a list of words: no shell reads it/,
    ],
    ["version: 1\nnotify:\n  ops: {command: [x], secret_env: Y}\nrules: []", /a command is not signed/],
    ["version: 1\nrules: &a [*a]", /aliases/],
    ["version: 1\nversion: 1\nrules: []", /FormatError 2: cannot parse the file: Map keys must be unique/],
    ["version: 1\nrules:\n\t- x", /FormatError 3/],
  ])("%j is refused", (text, message) => {
    try {
      parseAlertRules(text, "rules.yaml");
    } catch (error) {
      if (!isLogratioError(error)) throw error;
      expect(error.at.file).toBe("rules.yaml");
      expect(`${error._tag} ${error.at.line}: ${error.message} | ${error.hint}`).toMatch(message);
      return;
    }
    throw new Error("it was read");
  });
});

describe("what an alert says", () => {
  const alerts = (text: string, report: MismatchReport | SeriesReport) =>
    evaluateAlerts(report, rulesOf(text), NO_ALERTS, "r").raised.map(({ alert }) => alert);
  const series = {
    kind: "series",
    files: [],
    series: [{ metric: "actor/kl", steps: [3, 1, 2], values: [0.2, 0.5, 0.1] }],
    findings: [],
  } as unknown as SeriesReport;

  it("of a step: the figure, its value and the condition", () => {
    expect(alerts("  - {name: high, when: per_step.k3 > 1}", makeReport([0, 2]))).toEqual([
      {
        schemaVersion: 1,
        kind: "alert",
        id: "r:high:step 2",
        rule: "high",
        condition: "per_step.k3 > 1",
        run: "r",
        since: 2,
        value: 2,
        text: "high: per_step.k3 is 2.00 at step 2 (per_step.k3 > 1)",
      },
    ]);
    const [unnamed] = alerts("  - when: per_step.k3 > 1", makeReport([0, 2]));
    expect(unnamed!.text).toBe("per_step.k3 is 2.00 at step 2 (per_step.k3 > 1)");
  });

  it("of the run so far: its figure with the last step, or the verdict's headline", () => {
    const report = makeReport([1, 5, 2], { metrics: { ...BIG, k3: 4 } });
    expect(alerts("  - when: k3 > 1", report)).toMatchObject([
      { since: 3, value: 4, text: "k3 is 4.00 (k3 > 1)", id: "r:k3 > 1:step 3" },
    ]);
    const high = { level: "high", level_range: ["high", "high"], headline: "far apart" };
    expect(alerts("  - when: verdict >= high", makeReport([1], { verdict: high }))).toMatchObject([
      { since: 1, value: null, text: "the verdict is high: far apart" },
    ]);
    expect(alerts("  - when: k3 > 1", makeReport([], { metrics: { ...BIG, k3: 4 } }))).toMatchObject([
      { since: null, id: "r:k3 > 1:event 1" },
    ]);
  });

  it("of logged metrics: steps in their order, whatever the file's; nothing of verdicts and changes", () => {
    expect(alerts("  - when: logged.actor/kl > 0.15", series).map(({ id, value }) => [id, value])).toEqual([
      ["r:logged.actor/kl > 0.15:step 1", 0.5],
      ["r:logged.actor/kl > 0.15:step 3", 0.2],
    ]);
    expect(alerts("  - when: max(logged.actor/kl) > 0.15", series)).toMatchObject([
      { since: null, value: 0.5, id: "r:max(logged.actor/kl) > 0.15:event 1" },
    ]);
    expect(
      alerts("  - when: verdict >= none\n  - when: changed\n  - when: logged.other > 0", series),
    ).toEqual([]);
  });

  it("is nothing of too few tokens, but of counts and of what is logged", () => {
    const few = makeReport([1], { metrics: { tokens: 10, sequences: 2, k3: 4 } });
    expect(alerts("  - when: k3 > 1", few)).toEqual([]);
    expect(alerts("  - when: tokens < 100", few)).toHaveLength(1);
    const missing = makeReport([1], {
      metrics: { tokens: 10, sequences: 2 },
      excluded: { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 3 },
    });
    expect(alerts("  - when: non_finite_tokens > 0", missing)).toHaveLength(1);
    expect(alerts("  - when: excluded.missing > 2", missing)).toHaveLength(1);
    expect(alerts("  - when: k3 > 1", makeReport([1], { metrics: { ...BIG, k3: null } }))).toEqual([]);
  });

  it("of a change: the test's own sentence, from where it began, once, and only of the test that is asked for", () => {
    const alarm = { test: "unit_mean", since: 4, at: 6, text: "mean ρ changed" };
    const report = makeReport([1, 1], { watch: { alarms: [alarm] } });
    expect(alerts("  - when: changed", report)).toMatchObject([
      { id: "r:changed:unit_mean", since: 4, value: null, text: "mean ρ changed" },
    ]);
    expect(alerts("  - when: changed(unit_mean)", report)).toHaveLength(1);
    expect(alerts("  - when: changed(delta_abs_mean)", report)).toEqual([]);
  });
});

describe("the list of a run's events", () => {
  it("says of each whether it goes on, keeps those of rules that are gone, and the latest 200", () => {
    const rules = rulesOf("  - {name: high, when: per_step.k3 > 1}\n  - {name: any, when: changed}");
    const change = { test: "unit_mean", since: 2, at: 3, text: "since step 2" };
    let [state, listed]: [AlertState, readonly RaisedAlert[]] = [NO_ALERTS, []];
    const seen = (report: MismatchReport, second: number): unknown[] => {
      const found = evaluateAlerts(report, rules, state, "r");
      state = found.state;
      listed = listRaised(listed, found, rules, new Date(1000 * second));
      return listed.map(({ rule, since, over }) => [rule, since, over]);
    };
    expect(seen(makeReport([2, 0, 3]), 0)).toEqual([
      ["high", 1, true],
      ["high", 3, false],
    ]);
    expect(seen(makeReport([2, 0, 3, 0], { watch: { alarms: [change] } }), 1)).toEqual([
      ["high", 1, true],
      ["high", 3, true],
      ["any", 2, false],
    ]);
    expect(seen(makeReport([2, 0, 3, 0, 5]), 2).slice(-2)).toEqual([
      ["any", 2, false],
      ["high", 5, false],
    ]);
    expect(listed.map(({ raised_at }) => Date.parse(raised_at) / 1000)).toEqual([0, 0, 1, 2]);
    const gone = { ...listed[3]!, rule: "gone" };
    const none = { state, raised: [], over: [] };
    // Nothing is known of a rule that is new in the file.
    const [open] = listRaised([listed[3]!], { ...none, state: NO_ALERTS }, rules, new Date());
    expect([listed[3]!.over, open!.over]).toEqual([false, true]);
    expect(listRaised([gone], none, rules, new Date())).toEqual([gone]);
    const many = Array.from({ length: 300 }, (_, at) => ({ ...gone, since: at }));
    expect(listRaised(many, none, rules, new Date()).map(({ since }) => since)[0]).toBe(100);
  });
});
