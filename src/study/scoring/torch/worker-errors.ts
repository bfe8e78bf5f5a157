/**
 * Turns the worker's error replies, and its death, into errors.
 *
 * @module
 */
import {
  FormatError,
  type LogratioError,
  NotFoundError,
  type RefusalReason,
  TextRefusedError,
  UnexpectedError,
  UnsupportedError,
  UsageError,
} from "../../../core/base/index.ts";

/** The header of an error frame. */
interface ErrorFields {
  readonly what?: string;
  readonly kind?: string;
  readonly where?: string;
  readonly likely?: string;
  readonly hint?: string;
  readonly reason?: string;
}

const CLASSES = {
  unsupported: UnsupportedError,
  "not-found": NotFoundError,
  format: FormatError,
  usage: UsageError,
} as const;

export function makeError(fields: unknown): LogratioError {
  const {
    what = "the Python worker failed",
    kind,
    where,
    likely,
    hint,
    reason,
  } = (fields ?? {}) as ErrorFields;
  const detail = {
    ...(where !== undefined && { at: { file: where } }),
    ...(likely !== undefined && { likely }),
    ...(hint !== undefined && { hint }),
  };
  if (kind === "refused")
    return new TextRefusedError(what, {
      ...detail,
      reason: (reason as RefusalReason | undefined) ?? "other",
    });
  const known = CLASSES[kind as keyof typeof CLASSES] as (typeof CLASSES)[keyof typeof CLASSES] | undefined;
  return known === undefined
    ? new UnexpectedError(`the Python worker failed: ${what}`, { hint: "report this as a bug", ...detail })
    : new known(what, detail);
}

export interface Death {
  readonly python: string;
  readonly status: number | null;
  readonly signal: string | null;
  /** The last lines that it wrote to its standard error. */
  readonly log: string;
  /** What it was doing, as part of a sentence: `opening DIR`. */
  readonly doing: string;
}

export function deathError({ python, status, signal, log, doing }: Death): LogratioError {
  const last = log.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? "";
  const [, missing] = /No module named '?([\w-]+)/.exec(log) ?? [];
  if (missing === "logratio") {
    return new UnsupportedError(`${python} does not find logratio's Python files`, {
      likely: "the installation of logratio is incomplete",
      hint: "install logratio again, or pip install logratio",
    });
  }
  if (missing !== undefined) {
    return new UnsupportedError(
      `hf: policies need the Python package ${missing}, which ${python} does not have`,
      {
        likely: "another Python has it",
        hint: `${python} -m pip install numpy torch transformers, or name the right Python with --python`,
      },
    );
  }
  if (signal === "SIGKILL") {
    return new UnsupportedError(`the Python worker was killed (SIGKILL) while ${doing}`, {
      likely: "memory ran out and the system stopped it, or someone did",
      hint: "take a smaller --dtype or --batch-tokens and run the same command again: scores so far are kept",
    });
  }
  if (signal === "SIGILL") {
    return new UnsupportedError(`the Python worker crashed (SIGILL) while ${doing}`, {
      likely:
        "PyTorch used an instruction that this processor does not have, or that a virtual machine forbids (AMX)",
      hint: "set ONEDNN_MAX_CPU_ISA=AVX512_CORE, or take --dtype float32",
    });
  }
  const how = signal === null ? `ended with status ${status}` : `crashed (${signal})`;
  return new UnsupportedError(`the Python worker ${how} while ${doing}${last === "" ? "" : `: ${last}`}`, {
    likely:
      signal === null
        ? "its libraries do not fit this system, or each other"
        : "a fault in PyTorch or the driver of the GPU",
    hint: `try ${python} -c "import torch, transformers", then the same command again: scores so far are kept`,
  });
}

export function startError(python: string, cause: NodeJS.ErrnoException): LogratioError {
  const missing = cause.code === "ENOENT";
  return new UnsupportedError(
    missing
      ? `hf: policies are run by Python, and there is no ${python}`
      : `${python} does not start: ${cause.message}`,
    {
      likely: missing ? "Python is not installed, or not on the PATH" : "it is not a program",
      hint: "name a Python that has torch and transformers: --python PATH, or LOGRATIO_PYTHON",
      cause,
    },
  );
}
