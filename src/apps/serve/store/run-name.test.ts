import fc from "fast-check";
import { expect, it } from "vitest";
import { folderName, runNameFromFolder } from "./run-name.ts";

it("makes a folder of any name, and the name of the folder", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 20 }), (name) => {
      const folder = folderName(name);
      expect(folder).toMatch(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/);
      expect(folder.length).toBeLessThanOrEqual(240);
      expect(runNameFromFolder(folder)).toBe(name);
    }),
  );
});

it("keeps names apart", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
      fc.pre(a !== b && Buffer.from(a).length <= 80 && Buffer.from(b).length <= 80);
      expect(folderName(a)).not.toBe(folderName(b));
    }),
  );
});

it.each(["~2f", "~", "~41", ".x", "a b", "~FF", "ä", ""])("%j is not a folder of its own", (folder) => {
  expect(runNameFromFolder(folder)).toBeUndefined();
});

it("takes names of 80 bytes", () => {
  expect(folderName("é".repeat(40)).length).toBe(240);
  expect(() => folderName("é".repeat(41))).toThrow("has 82 bytes of UTF-8; at most 80");
  expect(() => folderName("")).toThrow("the run has no name");
});
