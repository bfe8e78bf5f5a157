import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { Entry } from "../../shared/config-entry.ts";
import { LONGEST_CONFIG, readConfig } from "./index.ts";

/** `path=value@line` of every setting. */
function listSettings(text: string, file = "config"): string[] {
  const write = ({ path, value, line }: Entry): string =>
    `${path.join(".")}=${JSON.stringify(value)}@${line}`;
  return readConfig(text, file).documents.flatMap(({ entries }) => entries.map(write));
}

function findEntry(text: string, file: string, key: string): Entry {
  const [entry] = readConfig(text, file)
    .documents.flatMap(({ entries }) => entries)
    .filter(({ path }) => path.at(-1) === key);
  return entry as Entry;
}

function catchRefusal(
  text: string,
  file = "config",
): { tag: string; message: string; line: number | undefined; likely: string } {
  try {
    readConfig(text, file);
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    return { tag: error._tag, message: error.message, line: error.at.line, likely: error.likely ?? "" };
  }
  throw new Error("nothing was refused");
}

describe("YAML", () => {
  it("gives every setting its path and line", () => {
    expect(listSettings("a:\n  b: 1\n  # c\n  c: [0.5, 2]\nd: text\ne:\n", "x.yaml")).toEqual([
      "a.b=1@2",
      "a.c=[0.5,2]@4",
      'd="text"@5',
      "e=null@6",
    ]);
  });

  it("reads numbers, booleans and None as PyYAML does", () => {
    expect(findEntry("t: 0.5_2", "x.yaml", "t").value).toBe(0.52);
    expect(findEntry('t: "0.5_2"', "x.yaml", "t").value).toBe("0.5_2");
    expect(findEntry("t: 0.5_5.0", "x.yaml", "t").value).toBe("0.5_5.0");
    expect(findEntry("t: None", "x.yaml", "t").value).toBe("None");
    expect(findEntry("t: off", "x.yaml", "t").value).toBe(false);
    expect(findEntry("t: ~", "x.yaml", "t").value).toBeNull();
  });

  it("follows aliases and merges, own keys first", () => {
    const text = "base: &b\n  clip: 2\n  low: 0.5\nrun:\n  clip: 3\n  <<: *b\n";
    expect(listSettings(text, "x.yaml").slice(2)).toEqual(["run.clip=3@5", "run.low=0.5@3"]);
  });

  it("keeps documents apart and says what an interpolation is", () => {
    const { documents } = readConfig(`a: 1\n---\nb: \${oc.env:X,2}\n`, "x.yaml");
    expect(documents.map(({ name, line }) => [name, line])).toEqual([
      ["document 1", 1],
      ["document 2", 3],
    ]);
    expect(documents[1]?.entries[0]).toMatchObject({
      value: undefined,
      unsure: expect.stringContaining("interpolation"),
    });
  });

  it("stops at aliases that multiply", () => {
    const levels = Array.from({ length: 9 }, (_, i) => {
      const item = i === 0 ? "x" : `*a${i - 1}`;
      return `a${i}: &a${i} [${Array(9).fill(item).join(", ")}]`;
    });
    expect(catchRefusal(levels.join("\n"), "x.yaml").tag).toBe("LimitError");
  });

  it("says where and why it does not parse", () => {
    expect(catchRefusal("a:\n\tb: 1\n", "x.yaml")).toMatchObject({
      tag: "FormatError",
      line: 2,
      likely: "a tab where YAML wants spaces",
    });
    expect(catchRefusal("a:\n  b: 'x\nc: 1\n", "x.yaml").message).toMatch(/column \d+/);
  });
});

describe("JSON", () => {
  it("has lines, too", () => {
    expect(listSettings('{\n "a": {\n  "b-c": "0.5_2"\n }\n}', "x.json")).toEqual(['a.b_c="0.5_2"@3']);
  });

  it("refuses what YAML would let pass", () => {
    expect(catchRefusal('{\n "a": 1,\n}', "x.json")).toMatchObject({
      tag: "FormatError",
      line: 3,
      likely: "a comma before a closing bracket",
    });
  });
});

describe("TOML", () => {
  it("finds the line of each key under its table", () => {
    const text =
      'x = 1\n[trainer.loss]\n# type = "no"\ntype = "ipo"\nkl_tau = 1e-3\n[[env]]\nid = "a"\n[[env]]\nid = "b"\n[m]\nopt = { lr = 0.1 }\n';
    expect(listSettings(text, "x.toml")).toEqual([
      "x=1@1",
      'trainer.loss.type="ipo"@4',
      "trainer.loss.kl_tau=0.001@5",
      'env.0.id="a"@7',
      'env.1.id="b"@9',
      "m.opt.lr=0.1@11",
    ]);
  });

  it("says where it does not parse", () => {
    expect(catchRefusal("[a]\nb = text\n", "x.toml")).toMatchObject({ tag: "FormatError", line: 2 });
  });
});

describe("Python", () => {
  it("reads keyword arguments of calls, nested ones on their own", () => {
    const text = [
      "from x import *",
      "HIGH = 2.0",
      "def Build(a=1): pass",
      "cfg = Outer(",
      '    name="run",  # a comment (with brackets',
      "    inner=Inner(bounds=(HIGH, -0.5), off=None, flag=True, big=1_000),",
      "    f=f'{name}', g=2 * HIGH, h=lookup['x'],",
      ")",
    ].join("\n");
    const { documents } = readConfig(text, "x.py");
    expect(documents.map(({ callee, line }) => [callee, line])).toEqual([
      ["Outer", 4],
      ["Inner", 6],
    ]);
    const values = Object.fromEntries(
      documents.flatMap(({ entries }) => entries.map(({ key, value }) => [key, value])),
    );
    expect(values).toEqual({
      name: "run",
      inner: undefined,
      bounds: [2, -0.5],
      off: null,
      flag: true,
      big: 1000,
      f: undefined,
      g: undefined,
      h: undefined,
    });
  });

  it("does not know a constant that is set twice", () => {
    expect(findEntry("A = 1\nA = 2\nConfig(x=A)\n", "x.py", "x")).toMatchObject({
      value: undefined,
      unsure: "A is set more than once",
    });
  });

  it("says which bracket or string never closes", () => {
    expect(catchRefusal("Config(\n  x=(1, 2,\n", "x.py")).toMatchObject({ tag: "FormatError", line: 2 });
    expect(catchRefusal("Config(x=1]\n", "x.py").message).toContain('"]" closes the "(" of line 1');
    expect(catchRefusal('Config(\n  x="abc)\n', "x.py")).toMatchObject({ tag: "FormatError", line: 2 });
  });
});

describe("command lines", () => {
  it("reads flags, pairs and hydra overrides over continued lines", () => {
    const text =
      "python train.py --use-tis \\\n  --tis-clip 2.0 --bounds 0.5 5.0 \\\n  a.b=token ++c.d='x' --e=-1 # --no 1\n";
    expect(listSettings(text, "x.sh")).toEqual([
      "use_tis=true@1",
      "tis_clip=2@2",
      "bounds=[0.5,5]@2",
      'a.b="token"@3',
      'c.d="x"@3',
      "e=-1@3",
    ]);
  });

  it("expands arrays and variables that are set once", () => {
    const text = `CLIP=3\nARGS=(\n  --tis-clip $CLIP\n  --low "\${LOW:-0.5}"\n)\nARGS+=(--use-tis)\npython train.py "\${ARGS[@]}" --path $HOME/x\n`;
    const entries = readConfig(text, "x.sh").documents.flatMap((document) => document.entries);
    expect(entries.map(({ key, value, line }) => [key, value, line])).toEqual([
      ["--tis-clip", 3, 3],
      ["--low", 0.5, 4],
      ["--use-tis", true, 6],
      ["--path", undefined, 7],
    ]);
    expect(entries[1]?.unsure).toContain("fallback 0.5");
    expect(entries[3]?.unsure).toContain("known only when the script runs");
  });

  it("does not know a variable that is set in two branches", () => {
    const text = "if x; then\n C=1\nelse\n C=2\nfi\npython t.py --clip $C\n";
    expect(findEntry(text, "x.sh", "clip")).toMatchObject({
      value: undefined,
      unsure: "C is set more than once",
    });
  });

  it("tells hydra's own quotes from the shell's", () => {
    expect(findEntry("p a.t=0.5_2", "x.sh", "t")).toMatchObject({ value: 0.52, quoted: false });
    expect(findEntry('p "a.t=0.5_2"', "x.sh", "t")).toMatchObject({ value: 0.52, quoted: false });
    expect(findEntry(`p 'a.t="0.5_2"'`, "x.sh", "t")).toMatchObject({ value: "0.5_2", quoted: true });
  });

  it("reads a pasted list of overrides and an array that no command uses", () => {
    expect(listSettings("rollout_is=token rollout_is_threshold=2", "x.sh")).toEqual([
      'rollout_is="token"@1',
      "rollout_is_threshold=2@1",
    ]);
    expect(listSettings("GRPO=(\n --use-tis\n)\n", "x.sh")).toEqual(["use_tis=true@2"]);
  });

  it("says which quote never closes", () => {
    expect(catchRefusal('python x.py \\\n --a "b\n', "x.sh")).toMatchObject({ tag: "FormatError", line: 2 });
  });
});

describe("any text", () => {
  it.each([
    ["a: 1\n", "yaml"],
    ["algorithm:\n  x: a=b\n", "yaml"],
    ['{"a": 1}', "json"],
    ["[trainer.loss]\na = 1\n", "toml"],
    ["from trl import GRPOConfig\nGRPOConfig(a=1)\n", "python"],
    ["RolloutImportanceSampling(\n  a=1)\n", "python"],
    ["--use-tis --tis-clip 2\n", "command line"],
    ["algorithm.rollout_correction.rollout_is=token\n", "command line"],
    ["#!/bin/bash\nset -x\n", "command line"],
  ])("is recognised without an extension: %j", (text, format) => {
    expect(readConfig(text, "config").format).toBe(format);
  });

  it("is refused when it is empty, binary or huge", () => {
    expect(catchRefusal("").tag).toBe("EmptyInputError");
    expect(catchRefusal("# nothing\n\n", "x.yaml")).toMatchObject({
      tag: "EmptyInputError",
      likely: "every line is a comment",
    });
    expect(catchRefusal("PK\u0003\u0004\u0000\u0000", "x.yaml").tag).toBe("FormatError");
    expect(catchRefusal("\ufffd".repeat(100), "x.yaml").tag).toBe("FormatError");
    expect(catchRefusal("a".repeat(LONGEST_CONFIG + 1)).tag).toBe("LimitError");
  });
});

describe("configs that were made to take forever", () => {
  it("TOML keys of many parts", () => {
    const deep = `${new Array(50_000).fill("a").join(".")} = 1`;
    expect(() => readConfig(deep, "a.toml")).toThrow(/more than 64 dotted parts/);
    expect(() => readConfig(`[${new Array(50_000).fill("a").join(".")}]`, "a.toml")).toThrow(/dotted parts/);
  });

  it("YAML maps that merge each other twice, over and over, and have one key in all", () => {
    const lines = ["a0: &a0 {k: 1}"];
    for (let i = 1; i < 30; i++)
      lines.push(`a${i}: &a${i}`, `  <<: *a${i - 1}`, `  <<: *a${i - 1}`, "  k: 1");
    expect(() => readConfig(lines.join("\n"), "a.yaml")).toThrow(/unfolds to more than/);
  });

  it("YAML maps that merge each other", () => {
    const lines = ["a0: &a0 {k: 1}"];
    for (let i = 1; i < 40; i++) lines.push(`a${i}: &a${i}`, `  <<: [*a${i - 1}, *a${i - 1}]`, `  k${i}: 1`);
    expect(() => readConfig(lines.join("\n"), "a.yaml")).toThrow(
      /unfolds to more than|more than .* settings/,
    );
  });
});
