import { expect, it } from "vitest";
import { codeBlock, codeSpan, escapeMarkdown } from "./text.ts";

it("escapes prose", () => {
  expect(escapeMarkdown("a|b `c` *d* _e_ <b> & [f](g) #1 ~h~ \\")).toBe(
    "a\\|b \\`c\\` \\*d\\* \\_e\\_ &lt;b&gt; &amp; \\[f\\](g) \\#1 \\~h\\~ \\\\",
  );
  expect(escapeMarkdown("two\nlines")).toBe("two\\\\nlines");
});

it("fences code by more backticks than it holds", () => {
  expect(codeSpan("run_1")).toBe("`run_1`");
  expect(codeSpan("a`b|c")).toBe("`` a`b\\|c ``");
  expect(codeSpan("")).toBe("");
  expect(codeBlock("echo ```")).toBe("````sh\necho ```\n````");
});
