import { describe, expect, it } from "vitest";
import { buildDoctorDocument } from "../doctor/index.ts";
import { CANNOT_TELL, FAULT, HEALTHY } from "../doctor/sample.test-data.ts";
import type { Block, Document } from "../document/document.ts";
import { withRows } from "../document/rows.ts";
import { makeTable, textColumn } from "../document/table.ts";
import { type PageBlock, pageDocument } from "./page-document.ts";

const draw = (blocks: readonly Block[]): readonly PageBlock[] => {
  const document: Document = {
    ...{ kind: "test", heading: "", name: "n", input: ["a\n"], lead: blocks, sections: [] },
  };
  return pageDocument(document).lead;
};
const pick = <Kind extends PageBlock["kind"]>(blocks: readonly PageBlock[], kind: Kind) =>
  blocks.filter((block): block is Extract<PageBlock, { kind: Kind }> => block.kind === kind);

describe("a document for the page", () => {
  it("has printable texts with the page's signs, and lines to paste as they are", () => {
    const blocks = draw([
      { kind: "text", text: "Δ -0.5\u202e" },
      { kind: "facts", rows: [["a\n", "-1"]] },
      { kind: "code", title: "t", language: "text", text: "x = -1\n\u001b" },
      { kind: "command", label: "run", command: "logratio -1" },
    ]);
    expect(blocks).toMatchObject([
      { text: "Δ −0.5\\u202e" },
      { rows: [["a\\n", "−1"]] },
      { title: "t", text: "x = -1\n\\x1b" },
      { label: "run", command: "logratio -1" },
    ]);
  });

  it("has tables with their columns that matter, the rest for export, and what rows lead to", () => {
    const items = [{ a: 1, deep: { b: 2 } }];
    const columns = [textColumn("name", ["x"]), textColumn("rare", ["-1"], { priority: 4, align: "right" })];
    const table = withRows(makeTable("id", "Title", columns), items);
    const [short, whole, own] = pick(
      draw([
        { kind: "table", table: { ...table, links: [{ view: "tokens" }], first: 1 } },
        { kind: "table", table: { ...table, isWhole: true }, legend: (hidden) => `hidden ${hidden.length}` },
        { kind: "table", table: makeTable("own", "Own", columns) },
        { kind: "table", table: makeTable("none", "None", []) },
      ]),
      "table",
    );
    expect(short!.table.columns.map(({ header }) => header)).toEqual(["name"]);
    expect(short!.table).toMatchObject({ links: [{ view: "tokens" }], raw: [{ a: 1, "deep.b": 2 }] });
    // One row is all there is.
    expect(short!.table.first).toBeUndefined();
    expect(whole!.table.columns.at(-1)?.cells).toEqual(["−1"]);
    expect(whole!.legend).toBe("hidden 0");
    expect(own!.table.raw).toEqual([{ name: "x", rare: "-1" }]);
  });

  it("has what is drawn as SVG, and something else in place of HTML", () => {
    const blocks = draw([
      { kind: "picture", id: "one", svg: () => "<svg/>", raw: () => [{ x: 1 }] },
      { kind: "picture", svg: () => "<svg/>" },
      { kind: "picture", html: () => "<b>", instead: [{ kind: "text", text: "said" }] },
      { kind: "picture", html: () => "<b>", terminal: () => [] },
    ]);
    expect(blocks).toEqual([
      { kind: "picture", picture: { id: "one", svg: "<svg/>", raw: [{ x: 1 }] } },
      { kind: "picture", picture: { id: "lead-2", svg: "<svg/>", raw: [] } },
      { kind: "text", text: "said" },
    ]);
  });
});

describe("a diagnosis on the page", () => {
  it("has the causes of the first screen, each with its evidence, pictures, places and fixes", () => {
    const { verdict, sections } = pageDocument(buildDoctorDocument(FAULT));
    expect(verdict).toMatchObject({ level: "fault", word: "FAULT", text: `${FAULT.assessment.sentence}.` });
    expect(sections.map(({ title }) => title)).toEqual([
      "87 %: Dropout is on in the trainer's forward pass",
      "9 %: The rollout engine samples from older weights",
      "3 %: None of these causes",
      "Next experiment",
      "Three columns",
      "Other causes",
      "Not tested: a column is missing",
      "Left out",
    ]);
    const [{ blocks } = { blocks: [] }] = sections;
    expect(pick(blocks, "list").map(({ title, items }) => [title, items.length])).toEqual([
      ["Evidence for it", 3],
      ["Evidence against it", 1],
    ]);
    expect(pick(blocks, "command").map(({ handle }) => handle)).toEqual(["s254.q3.t17", "s255.q9"]);
    expect(pick(blocks, "code").map(({ place, text }) => [place, text])).toEqual([
      ["for verl", "actor_rollout_ref.model.override_config.attention_dropout=0.0"],
      ["for any trainer", "model.eval()  # before log-probs are computed"],
    ]);
    expect(pick(blocks, "picture")[1]!.picture.raw).toEqual([
      { environment: "gsm8k", "mean Δ": -0.009 },
      { environment: "math", "mean Δ": 0.002 },
    ]);
    const legs = pick(sections[4]!.blocks, "table")[0]!.table;
    expect(legs.columns.map(({ header }) => header)).toContain("tokens");
    expect(legs.raw[0]).toMatchObject({ name: FAULT.legs[0]!.name });
  });

  it("names no cause of a healthy run", () => {
    const healthy = pageDocument(buildDoctorDocument(HEALTHY));
    expect(healthy.verdict?.word).toBe("NORMAL");
    expect(healthy.sections.some(({ id }) => id.startsWith("cause-"))).toBe(false);
    expect(pageDocument(buildDoctorDocument(CANNOT_TELL)).sections[0]!.id).toMatch(/^cause-/);
  });
});
