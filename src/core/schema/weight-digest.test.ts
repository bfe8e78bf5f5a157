import { describe, expect, it } from "vitest";
import { relateWeights, weightKeys } from "./weight-digest.ts";

const [X, Y, Z] = ["0123456789abcdef", "fedcba9876543210", "00000000000000ff"];
const digest = (dtypes: string, exact = X, rounded = X, names = X): string =>
  `logratio-weights-1:${dtypes}:291:${names}:${exact}:${rounded}`;

describe("relateWeights", () => {
  it("takes equal texts of any program as the same weights, and says nothing of others", () => {
    expect(relateWeights("sha256:1", "sha256:1")).toBe("equal");
    expect(relateWeights("sha256:1", "sha256:2")).toBe("unknown");
    expect(relateWeights("sha256:1", digest("float32"))).toBe("unknown");
    expect(relateWeights(digest("float32"), `${digest("float32")}0`)).toBe("unknown");
  });

  it("compares values, whatever their types", () => {
    expect(relateWeights(digest("bfloat16"), digest("float32"))).toBe("equal");
    expect(relateWeights(digest("float32", X), digest("bfloat16", Y))).toBe("rounded");
    expect(relateWeights(digest("float32", X), digest("bfloat16+float32", Y, Y))).toBe("different");
    expect(relateWeights(digest("float16", X), digest("float16", Y, Y))).toBe("different");
  });

  it("never takes another naming or another rounding for other weights", () => {
    expect(relateWeights(digest("float32", X, X, X), digest("float32", Y, Y, Y))).toBe("unknown");
    expect(relateWeights(digest("float32", X), digest("float16", Y, Y))).toBe("unknown");
    expect(relateWeights(digest("bfloat16"), digest("float8_e4m3fn+float32", Y, Y))).toBe("unknown");
  });
});

it("finds weights again by keys that agree with how they relate", () => {
  const texts = [
    digest("float32"),
    digest("float32", Y),
    digest("bfloat16"),
    digest("float32", X, X, Y),
    digest("float32", Z, Z),
    "v8",
    "v12",
  ];
  for (const a of texts)
    for (const b of texts) {
      const same = ["equal", "rounded"].includes(relateWeights(a, b));
      expect([a, b, weightKeys(a).rounded === weightKeys(b).rounded]).toEqual([a, b, same]);
      expect([a, b, weightKeys(a).exact === weightKeys(b).exact]).toEqual([
        a,
        b,
        relateWeights(a, b) === "equal",
      ]);
    }
});
