import { describe, expect, it } from "vitest";
import { FileSystemError, FormatError } from "../../core/base/errors.ts";
import { isStudyFailure } from "./is-study-failure.ts";

describe("a failure of the study's own files", () => {
  const atFile = (file: string): FileSystemError => new FileSystemError("the disk is full", { at: { file } });

  it("is one of the system, below the study's directory", () => {
    expect(isStudyFailure(atFile("runs/study/study.json"), "runs/study")).toBe(true);
    expect(isStudyFailure(atFile(`${process.cwd()}/runs/study/scores/dpo.parquet`), "runs/study/")).toBe(
      true,
    );
    expect(isStudyFailure(Object.assign(new Error("write"), { code: "ENOSPC" }), "runs/study")).toBe(true);
  });

  it("is not one of a policy's own files, nor of what is in a file", () => {
    expect(isStudyFailure(atFile("runs/study-logits/dpo.npz"), "runs/study")).toBe(false);
    expect(isStudyFailure(new FileSystemError("no connection"), "runs/study")).toBe(false);
    const damaged = new FormatError("cut off", { at: { file: "runs/study/scores/dpo.parquet" } });
    expect(isStudyFailure(damaged, "runs/study")).toBe(false);
  });
});
