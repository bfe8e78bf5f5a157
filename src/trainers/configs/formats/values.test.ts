import { describe, expect, it } from "vitest";
import { readConfig } from "./index.ts";

type Row = [key: string, value: unknown];

const entries = (text: string, file: string) =>
  readConfig(text, file).documents.flatMap((document) => document.entries);
const values = (text: string, file: string): Row[] =>
  entries(text, file).map(({ key, value }) => [key, value]);

const { POSITIVE_INFINITY: inf, NEGATIVE_INFINITY: minusInf } = Number;

describe("an argument of a Python call", () => {
  it.each<[source: string, value: unknown]>([
    ["2", 2],
    ["1_000", 1000],
    [".5e-1", 0.05],
    ["-1.5", -1.5],
    ["+2", 2],
    ["-(2)", -2],
    ["True", true],
    ["False", false],
    ["None", null],
    ["'a, b'", "a, b"],
    ["(1, 2)", [1, 2]],
    ["[1, -2]", [1, -2]],
    ["[1]", [1]],
    ["(1,)", [1]],
    ["(1)", 1],
    ["('a')", "a"],
    ["float('inf')", inf],
    ['float("-inf")', minusInf],
    ['float("+Infinity")', inf],
  ])("%s is %j", (source, value) => {
    const [entry] = entries(`C(a=${source}, b=1)`, "a.py");
    expect(entry?.value).toEqual(value);
    expect(entry).not.toHaveProperty("unsure");
  });

  it.each([
    "f'{x}'",
    "[]",
    "('a', 'b')",
    "(1, 'b')",
    "float('1')",
    "float(x)",
    "int('inf')",
    "1 + 2",
    "a.b",
    "'a' 'b'",
  ])("%s is known to the run alone", (source) => {
    const [entry, next] = entries(`C(a=${source}, b=1)`, "a.py");
    expect(entry).toMatchObject({
      key: "a",
      value: undefined,
      unsure: "an expression, which is not evaluated",
    });
    expect(next).toMatchObject({ key: "b", value: 1 });
  });

  it("is one only with a name and a value", () => {
    expect(values("C(1, x == 1, *a, **b, f(c, d=2), lambda y: (y, 1), e=3)", "a.py")).toEqual([["e", 3]]);
    expect(values("C(a=[(1, 2), {3: 4}], b={'c': (1, 2)}, d=5)", "a.py").map(([key]) => key)).toEqual([
      "a",
      "b",
      "d",
    ]);
  });

  it("is a constant's value after brackets that are closed again, and none where its name is quoted", () => {
    expect(values("g((1), [2])\nA = 3\nC(a=A)\n", "a.py")).toEqual([["a", 3]]);
    expect(values('C("a"=1, b=2)\n', "a.py")).toEqual([["b", 2]]);
  });

  it("is a constant's value where the constant is set once, outside any bracket, to a literal", () => {
    const source = "A = 2\nB = 1\nB = 3\nD = f(1)\ng(\n  E = 4\n)\nC(a=A, b=B, d=D, e=E)\n";
    const found = entries(source, "a.py").filter(({ key }) => /^[abde]$/.test(key));
    expect(found.map(({ value, unsure }) => [value, unsure])).toEqual([
      [2, undefined],
      [undefined, "B is set more than once"],
      [undefined, "D is computed on line 4"],
      [undefined, "E is set elsewhere"],
    ]);
  });
});

describe("a word of a command", () => {
  it.each<[line: string, rows: Row[]]>([
    [
      "p.py --a 1 --b=2 --c",
      [
        ["--a", 1],
        ["--b", 2],
        ["--c", true],
      ],
    ],
    ["p.py --a 0.5 2", [["--a", [0.5, 2]]]],
    ["p.py --a x 2", [["--a", "x"]]],
    [
      "p.py --a -1 --b",
      [
        ["--a", -1],
        ["--b", true],
      ],
    ],
    [
      'p.py --a "--b" --c',
      [
        ["--a", "--b"],
        ["--c", true],
      ],
    ],
    [
      "p.py a.b=1 +c=2 ++d=3 ~e=4",
      [
        ["a.b", 1],
        ["+c", 2],
        ["++d", 3],
      ],
    ],
    [
      "p.py a=[1,2] b=[x,2] c='[3, 4]'",
      [
        ["a", [1, 2]],
        ["b", "[x,2]"],
        ["c", [3, 4]],
      ],
    ],
    [`p.py a='"1"'`, [["a", "1"]]],
    [
      "p.py a=1\\\n  b=2",
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    [
      "p.py a=x\\ y b=2",
      [
        ["a", "x y"],
        ["b", 2],
      ],
    ],
    ["p.py a=1 # b=2", [["a", 1]]],
    ["p.py --a:b 1 --c 2", [["--c", 2]]],
    ['A+=(--a 1)\np.py "${A[@]}"', [["--a", 1]]],
    ["A=()\np.py --a 1", [["--a", 1]]],
    ["p.py a=1#2", [["a", "1#2"]]],
    [
      "p.py --a 1 && q.py --b 2",
      [
        ["--a", 1],
        ["--b", 2],
      ],
    ],
    [
      "p.py --a 1 -- --b 2",
      [
        ["--a", 1],
        ["--b", 2],
      ],
    ],
    [
      "X=3; p.py a=$X b=${X} c=\"$X\" d='$X'",
      [
        ["a", 3],
        ["b", 3],
        ["c", 3],
        ["d", "$X"],
      ],
    ],
    ["export X=3\np.py a=$X", [["a", 3]]],
    ["p.py a=${X:-4}", [["a", 4]]],
    [
      'A=(--a 1 b=2)\np.py "${A[@]}" c=3',
      [
        ["--a", 1],
        ["b", 2],
        ["c", 3],
      ],
    ],
    [
      "A=(a=1)\nA+=(b=2)\np.py ${A[@]}",
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    [
      "A=(\n a=1\n b=2\n)",
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    [
      "a=1\nb=2",
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
  ])("%j", (line, rows) => {
    expect(values(line, "a.sh")).toEqual(rows);
  });

  it("rests on what is said of it", () => {
    const unsure = (line: string) => entries(line, "a.sh").map(({ value, unsure }) => [value, unsure]);
    expect(unsure("p.py a=$X")).toEqual([[undefined, "$X is known only when the script runs"]]);
    expect(unsure("X=1\nX=2\np.py a=$X")).toEqual([[undefined, "X is set more than once"]]);
    expect(unsure("p.py a=${X:-4}")).toEqual([
      [4, "${X:-4} comes from the environment; read as its fallback 4"],
    ]);
    expect(unsure("p.py a=${X:-$Y}")[0]?.[0]).toBeUndefined();
    expect(unsure("p.py a=$(date)")[0]?.[0]).toBeUndefined();
  });

  it("belongs to the program that is run", () => {
    const names = (line: string) => readConfig(line, "a.sh").documents.map(({ name }) => name);
    expect(names("python -u train.py a=1")).toEqual(["train.py"]);
    expect(names("python -m verl.trainer.main_ppo a=1")).toEqual(["verl.trainer.main_ppo"]);
    expect(names("swift rlhf --a 1")).toEqual(["swift"]);
  });

  it("keeps the words of a value as they were written", () => {
    expect(entries("p.py --a 0.5 2", "a.sh")[0]).toMatchObject({ text: "0.5 2", quoted: false });
    expect(entries(`p.py a='"1"'`, "a.sh")[0]).toMatchObject({ quoted: true });
  });
});

describe("a key of TOML", () => {
  it("has the line that it stands on, in tables, arrays of tables and inline", () => {
    const text = '[a]\nb = 1\n\n["c"."d"]\ne = {f = 2, g-h = "x"}\n[[i]]\nj = 1\n[[i]]\nj = 2\n';
    expect(entries(text, "a.toml").map(({ key, value, line }) => [key, value, line])).toEqual([
      ["a.b", 1, 2],
      ["c.d.e.f", 2, 5],
      ["c.d.e.g-h", "x", 5],
      ["i.0.j", 1, 7],
      ["i.1.j", 2, 9],
    ]);
  });

  it("keeps its value and how it is written", () => {
    const text = 'a = "1"\nb = [1, 2]\nc = ["x", 3]\nd = true\ne = 2024-01-01\n';
    expect(entries(text, "a.toml").map(({ key, value, text, quoted }) => [key, value, text, quoted])).toEqual(
      [
        ["a", "1", "1", true],
        ["b", [1, 2], "1, 2", false],
        ["c.0", "x", "x", true],
        ["c.1", 3, "3", false],
        ["d", true, "true", false],
        ["e", undefined, "", false],
      ],
    );
  });

  it("may have 64 dotted parts, and no more", () => {
    const key = (parts: number) => Array<string>(parts).fill("k").join(".");
    expect(entries(`${key(64)} = 1`, "a.toml")).toHaveLength(1);
    expect(() => entries(`${key(66)} = 1`, "a.toml")).toThrow("more than 64 dotted parts");
    expect(() => entries(`[${key(66)}]\na = 1`, "a.toml")).toThrow("more than 64 dotted parts");
    // Dots in a value, in a comment and in a list of numbers are not parts.
    expect(entries(`a = "${key(80)}"\n# ${key(80)}\n`, "a.toml")).toHaveLength(1);
    expect(entries(`a = [\n ${Array<string>(80).fill("1.5").join(", ")}\n]`, "a.toml")).toHaveLength(1);
  });
});

describe("a value of YAML", () => {
  it.each<[source: string, value: unknown, text: string, quoted: boolean]>([
    ["1", 1, "1", false],
    ["1_000", 1000, "1_000", false],
    ["0x10", 16, "0x10", false],
    ["0.5_2.0", "0.5_2.0", "0.5_2.0", false],
    ["1e-3", 0.001, "1e-3", false],
    ["'1'", "1", "1", true],
    ["null", null, "null", false],
    ["", null, "", false],
    ["true", true, "true", false],
    ["[1, 2]", [1, 2], "[1, 2]", false],
    ["[]", undefined, "[]", false],
  ])("%j is %j", (source, value, text, quoted) => {
    const [entry] = entries(`a: ${source}\n`, "a.yaml");
    expect(entry).toMatchObject({ key: "a", text, quoted, line: 1 });
    expect(entry?.value).toEqual(value);
  });

  it("is unsure where it is an interpolation", () => {
    expect(entries("a: ${b.c}\n", "a.yaml")[0]).toMatchObject({
      value: undefined,
      unsure: "an interpolation, known only when the run starts",
    });
    expect(entries("a: 1\n", "a.yaml")[0]).not.toHaveProperty("unsure");
  });

  it("is null for a key that stands alone in a set", () => {
    expect(entries("a: {b, c: 1}\n", "a.yaml")).toMatchObject([
      { key: "a.b", value: null, text: "", line: 1 },
      { key: "a.c", value: 1, line: 1 },
    ]);
  });

  it("of the map itself goes before what it merges in, wherever that stands", () => {
    const text = "x: &x {b: 1, c: 2}\ny:\n  b: 3\n  <<: *x\n";
    expect(values(text, "a.yaml")).toEqual([
      ["x.b", 1],
      ["x.c", 2],
      ["y.b", 3],
      ["y.c", 2],
    ]);
  });
});
