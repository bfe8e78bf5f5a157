import { describe, expect, it } from "vitest";
import { admitAddress } from "./admit-address.ts";

const ROOT = "http://host/runs/a";

describe("an address of the web", () => {
  it.each([
    [ROOT, ROOT],
    [`${ROOT}/x.npz`, `${ROOT}/x.npz`],
    ["HTTP://HOST:80/runs/a/x.npz", `${ROOT}/x.npz`],
    [`${ROOT}/b/../x.npz?sig=1#part`, `${ROOT}/x.npz?sig=1`],
    [`${ROOT}/..x/x..npz`, `${ROOT}/..x/x..npz`],
    [`${ROOT}/100%25.npz`, `${ROOT}/100%25.npz`],
  ])("opens %s as %s", (address, opened) => {
    expect(admitAddress(address, ROOT)).toBe(opened);
    expect(admitAddress(address, `${ROOT}/`)).toBe(opened);
  });

  it.each([
    "/../secret.npz",
    "/..\\..\\secret.npz",
    "\\..\\secret.npz",
    "/.\t./.\t./secret.npz",
    "/.\n./secret.npz",
    "/.\r./secret.npz",
    "/\u2028..",
    "/%2e%2e/secret.npz",
    "/.%2E/secret",
    "/%252e%252e/secret",
    "/%25252e%25252e/secret",
    "/..%2fsecret",
    "/..%5Csecret",
    "/x%252f..%252f..%252fsecret",
    "/..;/secret",
    "/.;x/secret",
    "/..%3Bx/secret",
    "/..#x",
    "/..?x",
    "/%00",
    "-2/x.npz",
    "%2f..%2fsecret",
    "/%2525252525252e",
  ])("refuses %j below the root", (rest) => {
    expect(admitAddress(`${ROOT}${rest}`, ROOT)).toBeUndefined();
  });

  it.each([
    "http://host:8080/runs/a/x.npz",
    "https://host/runs/a/x.npz",
    "http://host.evil.org/runs/a/x.npz",
    "http://host@evil.org/runs/a/x.npz",
    "http://host:80@evil.org/runs/a/x.npz",
    "http://evil.org\\@host/runs/a/x.npz",
    "http://host./runs/a/x.npz",
    "http://user:pw@host/runs/a/x.npz",
    "http://host/RUNS/a/x.npz",
    "http://host/x.npz",
    "http://ho st/runs/a/x",
    "ftp://host/runs/a/x.npz",
    "s3://host/runs/a/x.npz",
  ])("refuses %s", (address) => {
    expect(admitAddress(address, ROOT)).toBeUndefined();
  });

  it("is opened with the user and the signature of the root, which a client need not know", () => {
    const root = "https://user:pw@host/runs/";
    expect(admitAddress("https://host/runs/x", root)).toBe("https://user:pw@host/runs/x");
    expect(admitAddress("https://user:pw@host/runs/x", root)).toBe("https://user:pw@host/runs/x");
    expect(admitAddress("https://other@host/runs/x", root)).toBeUndefined();
    const signed = "https://host/x.npz?sig=1";
    expect(admitAddress("https://host/x.npz", signed)).toBe(signed);
    expect(admitAddress("https://host/y.npz", signed)).toBeUndefined();
  });
});

describe("a key of an object store", () => {
  it.each([
    ["S3://runs/grpo/step_1.npz", "s3://runs/grpo/step_1.npz"],
    ["s3://runs/grpo/a#b/c?d.npz", "s3://runs/grpo/a#b/c?d.npz"],
    ["s3://runs/grpo", "s3://runs/grpo"],
  ])("opens %s", (address, opened) => {
    expect(admitAddress(address, "s3://runs/grpo")).toBe(opened);
    expect(admitAddress(address, "s3://")).toBe(opened);
  });

  it.each([
    "/../x",
    "/./x",
    "/%2e%2e/x",
    "\\..\\x",
    "/a\n/x",
    "-2/x",
    "/..#x/y",
    "/..?x/y",
    "/a%2f..%2f..%2fx",
  ])("refuses %j below the root", (rest) => {
    for (const root of ["s3://runs/grpo", "gs://runs/grpo", "hf://datasets/o/n"])
      expect(admitAddress(`${root}${rest}`, root)).toBeUndefined();
  });

  it("is not below a root of another store", () => {
    expect(admitAddress("gs://runs/grpo/x", "s3://runs/grpo")).toBeUndefined();
    expect(admitAddress("https://runs/grpo/x", "s3://runs/grpo")).toBeUndefined();
  });
});
