import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../test/support/property-seed.ts";
import { displayWidth } from "../terminal/columns.ts";
import { renderShowMarkdown, renderShowTerminal, type ShowTerminalOptions } from "./document.ts";
import { chooseTint, tintMark } from "./levels.ts";
import { type MadeShow, madeShow } from "./made-show.test-data.ts";

const ESCAPE = String.fromCharCode(27);

function draw(made: MadeShow, options: Partial<ShowTerminalOptions> = {}): string {
  return renderShowTerminal(madeShow(made), { width: 80, color: false, unicode: true, ...options });
}

const zeros = (n: number): string => Array.from({ length: n }, () => "0").join(" ");

describe("a sequence without color", () => {
  const made: MadeShow = {
    deltas: "0 .2 -.4 .7 -3 | 9 | Infinity NaN",
    texts: ["a ", "b ", "c ", "d ", "e ", "tool", "f", "g"],
  };

  it("marks strong values by their sign and size, infinite and missing ones too", () => {
    const out = draw(made);
    expect(out).toContain("a ⟦+b ⟧⟦--c ⟧⟦+++d ⟧⟦----e ⟧");
    expect(out).toContain("⟦∞f⟧⟦?g⟧");
    expect(out).toContain("\ntool\n");
    expect(out).not.toContain(ESCAPE);
  });

  it("says in numbers what a mark begins at", () => {
    expect(draw(made)).toMatch(/⟦-⟧ ≤ -0\.18 {2}⟦--⟧ ≤ -0\.36/);
    expect(draw({ ...made, metric: "k3" })).toMatch(/⟦!⟧ ≥ 0\.088 .*⟦!!!!⟧ ≥ 0\.5/);
    expect(draw({ ...made, metric: "rho" })).toMatch(/⟦---⟧ ≤ 0\.366 .*⟦\+⟧ ≥ 1\.18/);
    expect(draw({ ...made, metric: "logp" })).toMatch(/⟦!⟧ ≤ -1\.8/);
  });

  it("writes nothing but ASCII where the terminal has no more", () => {
    const out = draw({ ...made, texts: ["é\n", "\t→"], prompt: ["数"], token: 3 }, { unicode: false });
    expect(out).toMatch(/^[\x20-\x7e\n]*$/);
    expect(out).toContain(">>[[+++w3 ]]<<");
  });

  it("heads turns with their figures, and lists what is furthest", () => {
    const out = draw(made);
    expect(out).toContain("── turn 0 · 5 tokens · t0–t4 · mean |Δ| 0.860 · max 3.00 at t4 ─");
    expect(out).toContain("── tool output · 1 token · t5 · in no figure ─");
    expect(out).toMatch(
      /Furthest by Δ\n +token .*\n {2}s12\.r3\.q41\.t6 +inf █{10} .*\n {2}s12\.r3\.q41\.t4 +-3\.00 █{10} .* "e "\n.* +\+0\.700 █{7} /,
    );
  });
});

describe("text", () => {
  it("keeps newlines and indentation", () => {
    const out = draw({ deltas: "0 0 0", texts: ["def f():\n", "    return", "\n\n\t1"] });
    expect(out).toContain("def f():⏎\n    return⏎\n⏎\n→   1\n");
  });

  it("shows special tokens as chips and ids as ids", () => {
    const out = draw({
      deltas: "0 0 0 0",
      texts: [
        { text: "<|im_end|>", kind: "special" },
        { text: "<eos>", kind: "special" },
        { text: "#7", kind: "id" },
        { text: "#8", kind: "id" },
      ],
    });
    expect(out).toContain("⟨im_end⟩⟨eos⟩#7 #8");
  });

  it("joins a character whose bytes are spread over tokens, and keeps the value of the second", () => {
    const out = draw({ deltas: "0 2", texts: ["🙂", { text: "", kind: "continuation" }] });
    expect(out).toContain("🙂⟦++++·⟧");
  });

  it("counts newlines and characters that would fill the screen", () => {
    const out = draw({ deltas: "0 0", texts: ["\n".repeat(10_000), "x".repeat(20_000)] });
    expect(out).toContain("⏎×9,998");
    expect(out).toContain("… (20,000 characters)");
    expect(out.split("\n").length).toBeLessThan(70);
  });
});

describe("color", () => {
  it("colors by a fixed scale that the legend shows with the same codes", () => {
    const out = draw({ deltas: "0 .2 -.4 3", texts: ["a", "b", "c", "d"] }, { color: true });
    const painted = (code: string, text: string): string => `${ESCAPE}[${code}m${text}${ESCAPE}[0m`;
    expect(out).toContain(
      `a${painted("48;5;137;38;5;16", "b")}${painted("48;5;33;38;5;16", "c")}${painted("1;48;5;202;38;5;16;4", "d")}`,
    );
    for (const [code, bound] of [
      ["48;5;137;38;5;16", " +0.18 "],
      ["48;5;33;38;5;16", " -0.36 "],
      ["1;48;5;202;38;5;16;4", " +1 "],
    ] as const)
      expect(out).toContain(painted(code, bound));
  });

  it("levels by the power 0.4, the same on both sides", () => {
    const metric = madeShow({ deltas: "0" }).metric;
    const marks = [0, 0.01, 0.0114, 0.17, 0.18, 0.37, 0.64, 1, 40].map((value) => {
      const [above, below] = [chooseTint(value, metric), chooseTint(-value, metric)];
      expect(above.level).toBe(below.level);
      expect(tintMark(above, metric).length).toBe(tintMark(below, metric).length);
      return above.level;
    });
    expect(marks).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 6]);
  });
});

describe("the line over the whole sequence", () => {
  it("keeps a spike of one token among many, on its side", () => {
    const deltas = `${zeros(5000)} -.9 ${zeros(5000)}`;
    const [, highest, lowest] = /highest (.*)\nlowest {2}(.*)\n/.exec(draw({ deltas })) ?? [];
    expect(highest).toMatch(/^▁+ {2}0 at t0$/);
    expect(lowest).toMatch(/^▁+█▁+ {2}-0\.900 at t5000$/);
  });

  it("leaves gaps where nothing was sampled, and points at the token that is asked for", () => {
    const out = draw({ deltas: "0 0 | 0 0 | 0", token: 4 });
    expect(out).toMatch(/highest ▁▁ {2}▁ /);
    expect(out).toMatch(/turn {4}00\.\.1\n {12}\^ t4/);
  });
});

describe("folding", () => {
  const long: MadeShow = { deltas: `${zeros(1000)} 2 ${zeros(500)} | ${zeros(300)} | 0 ${zeros(300)}` };

  it("shows a long response around its furthest tokens, and counts the rest", () => {
    const out = draw(long);
    expect(out).toContain("… 960 tokens, furthest Δ 0 at t0 …");
    expect(out).toContain("w1000 ");
    expect(out).not.toContain("w950 ");
    expect(shownAndCounted(out)).toBe(1501 + 300 + 301);
  });

  it("names the turns of which nothing is shown", () => {
    const deltas = `0 | 0 | 0 | 0 | ${zeros(900)} | 0 | 2 | ${zeros(70)}`;
    const out = draw({ deltas }, { context: 1 });
    expect(out).toContain("… turns 0 to 2 with tool output, 904 tokens, furthest Δ 0 at t0 …");
    expect(out).toContain("── turn 3 ");
    expect(shownAndCounted(out)).toBe(976);
  });

  it("shows everything when asked to", () => {
    const out = draw(long, { all: true });
    expect(out).not.toMatch(/… [\d,]+ tokens/);
    expect(shownAndCounted(out)).toBe(1501 + 300 + 301);
  });

  it("shows a token with as much around it as asked for", () => {
    const out = draw({ ...long, token: 1500 }, { context: 2 });
    expect(out).toMatch(/\nw1498 w1499 »w1500 «\n/);
    expect(out).toContain("w1501 w1502 ");
    expect(shownAndCounted(out)).toBe(1501 + 300 + 301);
  });

  it("folds long tool output and long prompts in a short response", () => {
    const prompt = Array.from({ length: 200 }, (_, at) => `p${at} `);
    const out = draw({ deltas: `0 | ${zeros(100)} | 0`, prompt });
    expect(out).toMatch(/p31\s+… 152 tokens …\s+p184/);
    expect(out).toMatch(/w32\s+… 52 tokens …\s+w85/);
  });

  /** The number of tokens of the response that are printed or counted by gaps. */
  function shownAndCounted(out: string): number {
    const strip = out.slice(0, out.search(/\n(Furthest by|s12\S+ {2}")/));
    const shown = strip.match(/\bw\d+ /g)?.length ?? 0;
    const counted = [...strip.matchAll(/… (?:turns? [^,]*, )?([\d,]+) tokens?/g)];
    return counted.reduce((sum, [, count]) => sum + Number(count!.replaceAll(",", "")), shown);
  }
});

describe("as Markdown", () => {
  const deltas = "0 .2 -.4 .7 -3 | 9 |";
  const report = madeShow({ deltas, texts: ["a ", "b ", "c ", "d ", "e|`", "```\n"], metric: "delta" });

  it("has the text in marks in a code block that foreign text cannot end, then the furthest as a table", () => {
    const out = renderShowMarkdown(report, { command: "logratio show dumps/ q41" });
    expect(out).toMatch(/^### Sequence `s12\.r3\.q41`\n\nstep 12 · rank 3 · /);
    const [, fence] = /\n(`{4,})text\n⟦-⟧ ≤/.exec(out) ?? [];
    expect(out.split(`\n${fence}\n`)).toHaveLength(2);
    expect(out).toContain("a ⟦+b ⟧⟦--c ⟧⟦+++d ⟧⟦----e|`⟧\n");
    expect(out).toMatch(/\| token \| Δ \| p rollout \| p trainer \| text \|\n/);
    expect(out).toMatch(/\| s12\.r3\.q41\.t4 \| -3\.00 \| .* \|\n/);
    expect(out).toContain("```sh\nlogratio show dumps/ q41\n```");
    expect(out).not.toContain(ESCAPE);
  });

  it("has a token's values and alternatives as tables", () => {
    const out = renderShowMarkdown(madeShow({ deltas, token: 4 }));
    expect(out).toContain('#### s12\\.r3\\.q41\\.t4  "w4 "'.replaceAll("\\", ""));
    expect(out).toContain("no alternatives: the input has no top-k lists for this token");
    expect(out).toMatch(/\| log p \| .* \| -3\.00 \|\n/);
  });
});

describe("hostile text", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(
        ESCAPE,
        "[",
        "3",
        "1",
        "m",
        "\r",
        "\b",
        "\u009b",
        "\u202e",
        "\n",
        "\t",
        "]",
        "\u0007",
      ),
      maxLength: 30,
    }),
    fc.constantFrom("\ud83d", "\udc00", "\u2028", `${ESCAPE}]0;title\u0007`, "\u0000"),
  );
  const kind = fc.constantFrom("text", "special", "continuation", "id");
  const piece = fc.record({ text: hostile, kind });

  it("cannot emit an escape sequence, move the cursor or turn a line around", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        fc.array(piece, { maxLength: 4 }),
        hostile,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (texts, prompt, group, color, unicode, isToken) => {
          const out = draw(
            {
              deltas: texts.map((_, at) => at - 1).join(" "),
              texts,
              prompt,
              group,
              ...(isToken && { token: 0 }),
            },
            { color, unicode, width: 60 },
          );
          const own = new RegExp(`${ESCAPE}\\[[0-9;]+m`, "g");
          const bare = out.replace(own, "");
          expect(bare.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
          if (!color) expect(out).toBe(bare);
          for (const line of bare.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(60);
        },
      ),
      { numRuns: 300 },
    );
  });
});
