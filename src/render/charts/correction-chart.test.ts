import { describe, expect, it } from "vitest";
import { type CorrectionPoint, correctionChart } from "./correction-chart.ts";

const point = (name: string, dropped: number, ess: number, isOnFront = false): CorrectionPoint => {
  return { name, dropped, ess, isOnFront };
};
const POINTS = [
  point("none", 0, 0.9991),
  point("token-tis 2", 0, 0.9995, true),
  point("icepop 0.5–5", 3e-4, 0.999),
  point("geo-rs 0.999–1.001", 0.3185, 0.68147),
];
const options = { title: "Corrections", recommended: "token-tis 2" };

const places = (svg: string): { x: number; y: number; name: string }[] =>
  [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"[^>]*><title>([^:]+):/g)].map(([, x, y, name]) => ({
    x: Number(x),
    y: Number(y),
    name: name!,
  }));

describe("corrections as points", () => {
  it("lie further right the more they drop, and higher the better their ESS", () => {
    const drawn = places(correctionChart(POINTS, options));
    const of = (name: string) => drawn.find((each) => each.name === name)!;
    expect(of("none").x).toBe(of("token-tis 2").x);
    expect(of("icepop 0.5–5").x).toBeGreaterThan(of("none").x + 20);
    expect(of("geo-rs 0.999–1.001").x).toBeGreaterThan(of("icepop 0.5–5").x + 20);
    expect(of("token-tis 2").y).toBeLessThan(of("none").y);
    expect(of("geo-rs 0.999–1.001").y).toBeGreaterThan(of("none").y + 20);
  });

  it("keep 1 in sight, and what drops everything", () => {
    const drawn = places(correctionChart([point("a", 0, 1), point("b", 1, 0)], options));
    for (const { x, y } of drawn) {
      expect(x).toBeGreaterThanOrEqual(58);
      expect(x).toBeLessThanOrEqual(480);
      expect(y).toBeGreaterThanOrEqual(44);
      expect(y).toBeLessThanOrEqual(250);
    }
  });

  it("say what they drop, and which one is recommended", () => {
    const svg = correctionChart(POINTS, options);
    expect(svg).toContain("token-tis 2: drops nothing, ESS 0.99950, on the front");
    expect(svg).toContain("icepop 0.5–5: drops 0.030 % of the tokens, ESS 0.9990<");
    expect(svg).toContain(
      'aria-label="Corrections. 4 corrections; recommended is token-tis 2: drops nothing',
    );
    expect(svg.match(/fill="none" stroke=/g)).toHaveLength(1);
  });

  it("are links where one says where they lead, and not where a picture is saved", () => {
    expect(correctionChart(POINTS, options)).not.toContain("<a ");
    expect(correctionChart(POINTS, options)).toContain('role="img"');
    const linked = POINTS.map((each) => ({ ...each, href: `#/correct?correction=${each.name}` }));
    const svg = correctionChart(linked, options);
    expect(svg.match(/<a href="#\/correct\?correction=[^"]+" tabindex="-1">/g)).toHaveLength(POINTS.length);
    expect(svg).toContain('role="group"');
  });

  it("leave out what has no ESS, and say so where none has one", () => {
    expect(places(correctionChart([...POINTS, point("odd", 0, Number.NaN)], options))).toHaveLength(4);
    expect(correctionChart([point("odd", 0, Number.NaN)], options)).toContain("no correction has an ESS");
  });
});
