import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildGlossary } from "./build-glossary.ts";
import { GLOSSARY } from "./glossary.ts";

const { pattern, meanings } = buildGlossary();

/** Splits text as the page does: every second part is a term. */
function termsIn(text: string): string[] {
  return text.split(new RegExp(pattern, "iu")).filter((_, at) => at % 2 === 1);
}

describe("glossary", () => {
  it("says what docs/style.md says", () => {
    const style = readFileSync(new URL("../../../docs/style.md", import.meta.url), "utf8");
    for (const { terms, meaning } of GLOSSARY)
      expect(style).toContain(`| ${terms.join(", ")} | ${meaning.replaceAll("|", "\\|")} |`);
  });

  it("explains each term once, in one sentence", () => {
    const terms = GLOSSARY.flatMap((entry) => entry.terms);
    expect(new Set(terms).size).toBe(terms.length);
    for (const { meaning } of GLOSSARY) expect(meaning).not.toMatch(/\.$|\. [A-Z]/);
  });

  it("finds whole terms only, the longest first, with what they mean", () => {
    expect(termsIn("mean |Δ| of turns")).toEqual(["mean |Δ|", "turns"]);
    expect(termsIn("|Δ| along it")).toEqual(["Δ"]);
    expect(termsIn("Least ESS over a policy's returns, |Δp| > ½")).toEqual(["ESS", "policy", "|Δp| > ½"]);
    expect(termsIn("proxy NTL 0.01 nats")).toEqual(["proxy NTL", "nats"]);
    expect(termsIn("A·(ρ − 1) −4.62: advantage −1.21")).toEqual(["A·(ρ − 1)", "advantage"]);
    expect(termsIn("Δ̄ of uρ, k12, stressed")).toEqual(["Δ"]);
    expect(termsIn("step")).toEqual([]);
    for (const term of ["mean |δ|", "turns", "policies", "ess", "ntl-was"])
      expect(meanings[term]).toMatch(/\w+ \w+/);
    expect(meanings.ess).toContain("(Σw)²");
    expect(meanings["mean |δ|"]).toBe("mean of |Δ|, nats");
  });
});
