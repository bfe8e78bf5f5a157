import { describe, expect, test } from "vitest";
import { firstWrongEquation } from "./equations.ts";
import { readNotation } from "./notation.ts";

const everywhere = (): boolean => true;
const find = (text: string) => firstWrongEquation(text, everywhere);

describe("words that take a statement back", () => {
  test.each(
    [
      "? ≠ ≈ ≡ % ° != \\ne \\neq \\approx \\equiv \\sim \\bmod \\pmod \\mod",
      "not cannot never no incorrect wrong false fail fails contradict contradicts impossible invalid mod modulo",
      "remainder base approx approximately about roughly round rounded estimate nearest if suppose assume assuming",
      "try trying guess instead rather mistake mistakes error check checking don't isn’t NOT",
    ].flatMap((words) => words.split(" ")),
  )("%s in the same line", (word) => {
    expect(find("2 + 2 = 5 here")?.place).toBe(8);
    expect(find(`2 + 2 = 5 here ${word}`)).toBeUndefined();
    expect(find(`${word}: 2 + 2 = 5 here`)).toBeUndefined();
  });

  test.each(["knot", "nothing", "ground", "basement", "iffy", "modern", "checker", "\\sime", "failed"])(
    "%s is another word",
    (word) => {
      expect(find(`2 + 2 = 5 here ${word}`)?.place).toBe(8);
    },
  );

  test.each(
    "not cannot incorrect wrong false fails contradicts impossible invalid mistake approximately isn't ≠".split(
      " ",
    ),
  )("%s in the next line that holds words", (word) => {
    expect(find(`2 + 2 = 5\nThat is ${word}`)).toBeUndefined();
    expect(find(`2 + 2 = 5\n\n--\n1\nThat is ${word}`)).toBeUndefined();
  });

  test("later words no longer speak of it", () => {
    expect(find("2 + 2 = 5\nSo much for that.\nWhich is wrong")?.place).toBe(8);
    expect(find("2 + 2 = 5\n1\n2\n3\n4\nWhich is wrong")?.place).toBe(8);
    expect(find(`2 + 2 = 5\n${"so ".repeat(27)}wrong`)?.place).toBe(8);
    expect(find(`2 + 2 = 5\n${"so ".repeat(26)}wrong`)).toBeUndefined();
  });

  test("words of the line before do not", () => {
    expect(find("This is wrong.\n2 + 2 = 5")?.place).toBe(23);
  });
});

describe("words between which a number is not the statement's own", () => {
  test.each(
    [
      "sin cos tan cot sec csc log ln lg exp sqrt gcd lcm max min det abs floor ceil times plus minus over of than by per",
      "step steps case part problem question equation example day year chapter number line row column between from half",
      "twice double divided multiplied square squared cube cubed factorial negative power choose Step",
    ].flatMap((words) => words.split(" ")),
  )("%s 3 + 4 = 8", (word) => {
    expect(find(`${word} 3 + 4 = 8`)).toBeUndefined();
    expect(find(`so ${word} 3 + 4 = 8`)).toBeUndefined();
  });

  test.each(["so", "is", "as", "we", "it", "do", "get", "basin", "amount"])("%s 3 + 4 = 8 is one", (word) => {
    expect(find(`${word} 3 + 4 = 8`)?.place).toBe(word.length + 9);
  });

  test.each(["x", "ab", "an", "π", "n!"])("%s 3 + 4 = 8 may be anything", (word) => {
    expect(find(`${word} 3 + 4 = 8`)).toBeUndefined();
  });

  test.each(
    [
      "hundred thousand million billion trillion dozen hour hours hr hrs minute minutes min mins second secs day week",
      "months year years cent cents feet foot inch inches yard yards mile miles m km cm mm kg gram grams squared cubed",
      "factorial times plus minus divided multiplied over mod in or to choose am pm percent",
    ].flatMap((words) => words.split(" ")),
  )("3 + 4 = 8 %s", (word) => {
    expect(find(`3 + 4 = 8 ${word}`)).toBeUndefined();
  });

  test.each(["apples", "inches2x", "together", "ambitious", "hi"])("3 + 4 = 8 %s is one", (word) => {
    expect(find(`3 + 4 = 8 ${word}`)?.place).toBe(8);
  });

  test.each(["x", "π", "!", "a b"])("3 + 4 = 8%s may be anything", (rest) => {
    expect(find(`3 + 4 = 8${rest}`)).toBeUndefined();
  });

  test("so may a result that goes on with an operator, or a word without a space", () => {
    for (const text of [
      "3 + 4 = 8 +",
      "3 + 4 = 8 *",
      "3 + 4 = 8 /",
      "3 + 4 = 8 ^",
      "3 + 4 = 8 -",
      "3 + 4 = 8apples",
    ])
      expect(find(text)).toBeUndefined();
    for (const text of ["3 + 4 = 8(apples)", "3 + 4 = 8 (apples)", "3 + 4 = 8 (ab)"])
      expect(find(text)).toBeUndefined();
  });
});

describe("the tolerance of a result", () => {
  test.each([
    ["2 / 3 = 0.67", undefined],
    ["2 / 3 = 0.66", undefined],
    ["2 / 3 = 0.65", "2 / 3 = 0.6666666667, not 0.65"],
    ["2 / 3 = 0.68", "2 / 3 = 0.6666666667, not 0.68"],
    ["7 / 2 = 3", undefined],
    ["7 / 2 = 4", undefined],
    ["7 / 2 = 5", "7 / 2 = 3.5, not 5"],
    ["1.5 + 1.5 = 3.1", undefined],
    ["1.5 + 1.5 = 3.2", "1.5 + 1.5 = 3.0, not 3.2"],
    ["0.5 + 0.25 = 0.7", undefined],
    ["0.5 + 0.25 = 0.8", undefined],
    ["0.5 + 0.25 = 0.9", "0.5 + 0.25 = 0.75, not 0.9"],
    ["1 / 8 = 0", undefined],
    ["10 + 5 = 15.0", undefined],
    ["10 + 5 = 15.1", "10 + 5 = 15.0, not 15.1"],
    ["10000000 + 1 = 10000002", "10000000 + 1 = 10000001, not 10000002"],
  ])("%s", (text, how) => {
    expect(find(text)?.how).toBe(how);
  });
});

describe("where a chain goes wrong", () => {
  test.each([
    // The place is the first digit that differs; the sign before it announces the result.
    ["12 + 30 = 43", 11, 8],
    ["1 + 1 = 2 + 2 = 5", 16, 14],
    ["1 + 1 = 2 = 3", undefined, undefined],
    ["2 * 3 = 61", 9, 6],
    ["61 * 10 = 61", 12, 8],
    ["2 + 3 = 5; 4 + 4 = 9", 19, 17],
    ["2 + 3 < 4 + 4 = 9", 16, 14],
    ["(2 + 3) * 4 = 21", 15, 12],
    ["(2 + 2 = 5)", 9, 7],
    ["1,000 + 1 = 1,002", 16, 10],
  ])("%s", (text, place, announced) => {
    const found = find(text);
    expect([found?.place, found?.announced]).toEqual([place, announced]);
  });

  test("a text's other lines are counted in", () => {
    expect(find("one line\nand = another\n12 + 30 = 43")?.place).toBe(34);
  });

  test("a line with a broken character is passed over, and the next one is read", () => {
    expect(find("2 + 2 = 5 \ufffd\n2 + 2 = 6")?.place).toBe(20);
  });
});

describe("a calculator's call", () => {
  const text = "then 8 * 39 <calc>8*93</calc><out>744</out> = 744.";
  const own = (place: number): boolean => place < text.indexOf("744<") || place > text.indexOf("</out>");

  test("says what it was asked in place of what the text says", () => {
    expect(firstWrongEquation(text, own)).toEqual({
      place: text.indexOf("93<"),
      announced: text.indexOf("8*93"),
      how: "the calculator is asked 8*93 where the text says 8 * 39",
    });
  });

  test("is the text's error where the policy wrote the result itself", () => {
    const made = "then 2 + 2 <calc>2+2</calc><out>5</out> so 5.";
    expect(find(made)?.how).toBe("2 + 2 = 4, not 5");
    expect(find(made)?.place).toBe(made.indexOf("5<"));
  });

  test("is pointed at where the question ends too early", () => {
    const short = "then 8 * 39 <calc> 8 * 3 </calc><out>24</out> = 24.";
    const mine = (place: number): boolean => place < short.indexOf("24<") || place > short.indexOf("</out>");
    expect(firstWrongEquation(short, mine)?.place).toBe(short.indexOf(" </calc>") + 1);
  });
});

describe("readNotation", () => {
  const read = (line: string): string => readNotation(line, 0, everywhere).characters;

  test.each([
    ["2 \\times 3 \\cdot 4 \\ast 5", "2 * 3 * 4 * 5"],
    ["2 × 3 · 4 ⋅ 5 ∙ 6", "2 * 3 * 4 * 5 * 6"],
    ["6 \\div 3 ÷ 2", "6 / 3 / 2"],
    ["6 − 3 – 2", "6 - 3 - 2"],
    ["1{,}000\\! 5", "1,000 5"],
    ["\\boxed{5}", "{5}"],
    ["\\left(5\\right)", " (5 )"],
    ["\\text{a} \\mathrm{b} \\textbf{c}", " {a}  {b}  {c}"],
    ["a\\,b\\;c\\:d\\ e\\$f&g`h\u00a0i\u202fj$k", "a b c d e f g h i j k"],
    ["a\\quad b\\qquad c", "a\n b\n c"],
    ["a \\\\ b", "a \n b"],
    ["\\[a\\] \\(b\\) $$c$$", "\na\n \nb\n \nc\n"],
    ["a \\approx b \\leq c \\ge d \\implies e \\to f", "a ~ b ~ c ~ d ~ e ~ f"],
    ["a => b -> c <= d >= e != f ~= g", "a ~ b ~ c ~ d ~ e ~ f ~ g"],
    ["a ≤ b ≥ c < d > e → f ⇒ g ⟹ h ~ i", "a ~ b ~ c ~ d ~ e ~ f ~ g ~ h ~ i"],
    ["\\alpha + \\timesx", "\ue002 + \ue002"],
    ["5² + 5³", "5^2 + 5^3"],
    ["2**3 and **bold**", "2^3 and  bold "],
    ["3x4 and 3 x 4 and 3 ✕ (4)", "3*4 and 3 * 4 and 3 * (4)"],
    ["3x + x4 and a x 4", "3x + x4 and a x 4"],
    ["a == b = c", "a = b = c"],
    ["a; b", "a\n b"],
    ["a, b, 1,000,", "a\n b\n 1,000\n"],
    ["a. b.. 1.5 c.", "a\n b\n 1.5 c\n"],
    ["a: b 10:30 c:", "a\n b 10:30 c\n"],
  ])("%s", (line, characters) => {
    expect(read(line)).toBe(characters);
  });

  test.each(["* ", "+ ", "• ", "12. ", "3) ", "## ", "  * "])("%j begins a list", (bullet) => {
    expect(read(`${bullet}5`)).toBe("5");
  });

  test.each(["*5", "12.5", "-5", "a * 5"])("%s does not", (line) => {
    expect(read(line)).toBe(line);
  });

  test("knows where in the text each character stands, and the line's own words", () => {
    const { characters, places, original } = readNotation("2 \\times 3 = 7", 100, everywhere);
    expect(characters).toBe("2 * 3 = 7");
    expect(places).toEqual([100, 101, 102, 108, 109, 110, 111, 112, 113]);
    expect(original(0, 5)).toBe("2 \\times 3");
    expect(original(8, 9)).toBe("7");
  });

  test("puts in place of a calculator's call what it says", () => {
    const line = "7 * 35 <calc>7*35</calc><out>245</out> so 245";
    const notation = readNotation(line, 10, everywhere);
    expect(notation.characters).toBe("7 * 35  = 245  =  245");
    expect(notation.calls).toEqual([{ at: 10, query: "7*35", place: 10 + line.indexOf("7*35") }]);
    expect(notation.places.slice(10, 13)).toEqual([0, 1, 2].map((i) => 10 + line.indexOf("245<") + i));
    expect(notation.original(10, 13)).toBe("245");
  });

  test("hides what the policy did not write", () => {
    const { characters, places } = readNotation("2 + 3", 0, (place) => place !== 2);
    expect(characters).toBe("2 \ue002 3");
    expect(places).toEqual([0, 1, 2, 3, 4]);
    const call = readNotation("1 <calc>1</calc><out>5</out>", 0, (place) => place < 21);
    expect(call.places[call.characters.indexOf("5")]).toBe(-1);
    expect(call.original(call.characters.indexOf("5"), call.characters.indexOf("5") + 1)).toBe("5");
  });
});
