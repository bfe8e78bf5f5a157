import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAKE_STUDY = fileURLToPath(new URL("../../../../python/tests/make_study.py", import.meta.url));

// Some virtual machines list AMX among the processor's instructions but forbid it: a bfloat16 layer then kills the
// process.
// Unit tests share a process, and workers inherit this.
process.env.ONEDNN_MAX_CPU_ISA ??= "AVX512_CORE";
// With tiny models, a second thread waits for the first one in a loop and occupies a processor that other tests need.
process.env.OMP_NUM_THREADS ??= "1";

/**
 * A Python with PyTorch and transformers; if LOGRATIO_PYTHON (else python3) has none, says why and returns undefined.
 */
export function findTorchPython(): string | undefined {
  const python = process.env.LOGRATIO_PYTHON || "python3";
  const { status } = spawnSync(python, ["-c", "import numpy, torch, transformers"], { stdio: "ignore" });
  if (status === 0) return python;
  console.warn(
    `SKIPPED: hf: policies, because ${python} has no numpy, torch and transformers (LOGRATIO_PYTHON names another)`,
  );
  return undefined;
}

type Figures = Readonly<Record<string, readonly number[]>>;

export interface TorchStudy {
  readonly dir: string;
  /** Expected figures in float64, by policy and text. */
  readonly expected: Readonly<Record<string, Readonly<Record<string, Figures>>>>;
}

/** Three tiny models, five texts, and their expected figures. */
export function makeTorchStudy(python: string): TorchStudy {
  const dir = mkdtempSync(join(tmpdir(), "hf-study-"));
  execFileSync(python, [MAKE_STUDY, dir], { stdio: "ignore" });
  return { dir, expected: JSON.parse(readFileSync(join(dir, "expected.json"), "utf8")) };
}
