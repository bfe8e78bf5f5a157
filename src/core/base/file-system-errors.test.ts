import { describe, expect, it } from "vitest";
import { FormatError, isLogratioError } from "./errors.ts";
import { fileSystemError, foreseenError, isSystemError } from "./file-system-errors.ts";

const failed = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: something`), { code, ...more });

describe("the table of system errors", () => {
  it.each([
    ...[
      "EACCES",
      "EPERM",
      "EROFS",
      "ENOSPC",
      "EDQUOT",
      "EFBIG",
      "EMFILE",
      "ENFILE",
      "EIO",
      "ESTALE",
      "EEXIST",
    ],
    ...[
      "EISDIR",
      "ENOTDIR",
      "ELOOP",
      "ENAMETOOLONG",
      "ENOTEMPTY",
      "EXDEV",
      "EBUSY",
      "ENOMEM",
      "E2BIG",
      "EAGAIN",
    ],
    ...["EPIPE", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"],
    ...["ENETUNREACH", "EADDRINUSE", "EADDRNOTAVAIL", "ENOENT"],
  ])("has what happened and what to try for %s", (code) => {
    const error = fileSystemError(failed(code), "write", { file: "out.html" });
    expect(error._tag).toBe(code === "ENOENT" ? "NotFoundError" : "FileSystemError");
    expect(error.message).toMatch(/^cannot write out\.html: /);
    expect(error.message).not.toContain(`${code}: something`);
    expect(error.hint).toBeTruthy();
  });

  it("takes the system's own words for a code that it does not know", () => {
    const error = fileSystemError(failed("ENEWCODE"), "read", { file: "a" });
    expect(error).toMatchObject({ _tag: "FileSystemError", message: "cannot read a: ENEWCODE: something" });
  });
});

describe("a failure that nobody explained", () => {
  it.each([
    [failed("ENOSPC", { syscall: "write" }), "cannot write a file: the disk is full (ENOSPC)"],
    [failed("EACCES", { syscall: "open", path: "a.npz" }), "cannot read a.npz: permission denied (EACCES)"],
    [
      failed("EXDEV", { syscall: "rename", path: "a", dest: "b" }),
      "cannot write b: the two paths are on different",
    ],
    [
      failed("EMFILE", { syscall: "scandir", path: "d" }),
      "cannot read d: the process has too many open files",
    ],
    [
      failed("ENOENT", { syscall: "mkdtemp", path: "/t/x" }),
      "cannot write /t/x: there is no such file or directory",
    ],
    [
      failed("ENOENT", { syscall: "spawn python9", path: "python9" }),
      "cannot start python9: there is no such program",
    ],
    [failed("E2BIG", { syscall: "spawn node" }), "cannot start node: the arguments are longer"],
    [
      failed("EADDRINUSE", { syscall: "listen", address: "::1", port: 80 }),
      "cannot listen at ::1:80: another program",
    ],
    [
      failed("ENOTFOUND", { syscall: "getaddrinfo", hostname: "nope" }),
      "cannot reach nope: the host is not known",
    ],
  ])("%s", (error, message) => {
    expect(isSystemError(error)).toBe(true);
    expect(foreseenError(error)?.message).toContain(message);
  });

  it("is found behind other errors, however they hold it", () => {
    const refused = failed("ECONNREFUSED", { syscall: "connect", address: "127.0.0.1", port: 1 });
    const message = "cannot reach 127.0.0.1:1: nothing listens there (ECONNREFUSED)";
    for (const error of [
      new TypeError("fetch failed", { cause: refused }),
      new Error("outer", { cause: new TypeError("fetch failed", { cause: refused }) }),
      new TypeError("fetch failed", { cause: new AggregateError([refused, refused]) }),
    ])
      expect(foreseenError(error)?.message).toBe(message);
  });

  it("is a bug where no system call failed", () => {
    const circle = new Error("a");
    circle.cause = circle;
    for (const error of [
      new TypeError("x is undefined"),
      Object.assign(new Error("x"), { code: "ERR_INVALID_ARG_TYPE" }),
      Object.assign(new Error("x"), { code: 5 }),
      circle,
      "ENOSPC",
      undefined,
    ])
      expect(foreseenError(error)).toBeUndefined();
  });

  it("keeps its tag where it has one", () => {
    const error = new FormatError("cut off");
    expect(foreseenError(error)).toBe(error);
    expect(isLogratioError(foreseenError(failed("EIO")), "FileSystemError")).toBe(true);
  });
});
