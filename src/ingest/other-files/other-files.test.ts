import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLogratioError, type LogratioError } from "../../core/base/errors.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import { writeZip } from "../../input/io/zip-writer.test-data.ts";
import { openRun } from "../open-run.ts";
import { examine, isFailure } from "../sources.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-others-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function refusal(name: string, content: string | Uint8Array): Promise<LogratioError> {
  const path = join(folder, name);
  await writeFile(path, content);
  const error = await openRun([path]).catch((thrown: unknown) => thrown);
  if (!isLogratioError(error)) throw new Error(`${name} was read`);
  expect(error.at.file, "the place").toBe(path);
  expect(error.hint, "what to do").toBeTruthy();
  expect(`${error.message} ${error.likely} ${error.hint}`, "no hex").not.toMatch(/\b(?:[0-9a-f]{2} ){2}/);
  return error;
}

const latin = (text: string): Uint8Array => Buffer.from(text, "latin1");
const tar = (): Uint8Array => {
  const block = Buffer.alloc(1024);
  block.write("run/a.jsonl\0");
  block.write("ustar\x0000", 257, "latin1");
  return block;
};

/** Sizes are what `ls` says; the name is what the user gave. */
const BYTES: readonly (readonly [
  name: string,
  content: string | Uint8Array,
  message: string,
  hint: string,
])[] = [
  [
    "a part.lrs",
    latin("\x89LRS\r\n\x1a\n\x02\0\0\0"),
    "a part that logratio summarize wrote: it holds sums, not sequences and tokens",
    "a part.lrs' --html report.html; view, show and compare need the dumps",
  ],
  [
    "step_1.npz",
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345678\n",
    "a Git LFS pointer to a file of 12.3 MB: the file itself was not downloaded",
    "run git lfs pull in the repository, then try again",
  ],
  [
    "step_2.npz",
    "../.git/annex/objects/Xp/1z/SHA256E-s123--4d7a.npz/SHA256E-s123--4d7a.npz",
    "a git-annex pointer: the file itself was not downloaded",
    "run git annex get FILE in the repository, then try again",
  ],
  [
    "blank.jsonl",
    "\n  \n",
    "an empty file (4 B of white space): there is nothing in it",
    "give a file with data",
  ],
  [
    "zeros.pt",
    new Uint8Array(5000),
    "a file that begins with 5.0 kB of zero bytes: nothing can be read from it",
    "copy or write it again",
  ],
  [
    "wide.jsonl",
    Buffer.from('\ufeff{"a": 1}\n', "utf16le"),
    "text in UTF-16: text is read as UTF-8",
    "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
  ],
  [
    "a.png",
    latin("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    "an image (PNG): it holds no log-probs",
    "the directory they are in",
  ],
  [
    "a.jpg",
    latin("\xff\xd8\xff\xe0\0\x10JFIF"),
    "an image (JPEG): it holds no log-probs",
    "the directory they are in",
  ],
  [
    "a.webp",
    latin("RIFF\x24\0\0\0WEBPVP8 "),
    "an image (WebP): it holds no log-probs",
    "the directory they are in",
  ],
  [
    "a.pdf",
    latin("%PDF-1.7\n%\xe2\xe3"),
    "a PDF document: it holds no log-probs",
    "the directory they are in",
  ],
  ["a.gguf", latin("GGUF\x03\0\0\0"), "a model's weights (GGUF): it holds no log-probs", "logratio score"],
  [
    "a.db",
    latin("SQLite format 3\0\x10\0"),
    "an SQLite database: it holds no log-probs",
    "sqlite3 -csv -header FILE",
  ],
  [
    "run.wandb",
    latin(":W&B\xe1\xbe\0"),
    "W&B's log of a run (.wandb): no metric with a step can be read from it",
    "export its history as CSV",
  ],
  [
    "a.arrow",
    latin("ARROW1\0\0\xff\xff"),
    "an Arrow file: Arrow's own format is not read; Parquet is",
    "pyarrow.parquet.write_table",
  ],
  [
    "stream.arrow",
    latin("\xff\xff\xff\xff\x10\x01\0\0"),
    "an Arrow stream: Arrow's own format is not read",
    "Dataset.from_file(FILE).to_parquet",
  ],
  ["a.h5", latin("\x89HDF\r\n\x1a\n\0\0"), "an HDF5 file: HDF5 is not read; npz is", "numpy.savez"],
  ["a.tar", tar(), "a tar archive: archives are not searched", "unpack it, and give the directory"],
  [
    "a.jsonl.gz",
    gzipSync(tar()),
    "a tar archive: archives are not searched",
    "unpack it, and give the directory",
  ],
  [
    "a.zip",
    writeZip([{ name: "run/a.txt", bytes: latin("a") }]),
    "a zip archive: there are no arrays in it",
    "unpack it",
  ],
  [
    "a.jsonl.xz",
    latin("\xfd7zXZ\0\0\x04"),
    "a file compressed with xz: gzip and zstd are the compressions that are read",
    "unxz FILE",
  ],
  ["a.jsonl.bz2", latin("BZh91AY&SY"), "a file compressed with bzip2", "bunzip2 FILE"],
  ["a.so", latin("\x7fELF\x02\x01\x01\0"), "a program or library (ELF)", "the trainer dumps"],
  [
    "tokenizer.model",
    latin("\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02\n"),
    "a tokenizer (SentencePiece): it holds no log-probs",
    "--tokenizer DIR",
  ],
  [
    "qwen.tiktoken",
    "IQ== 0\nIg== 1\nIw== 2\n",
    "a tokenizer's vocabulary (tiktoken): it holds no log-probs",
    "--tokenizer DIR",
  ],
  [
    "dump.parquet",
    "<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>",
    "an HTML page (“Sign in”): it holds no log-probs",
    "download it again, signed in",
  ],
  [
    "report.html",
    "<html><body>hello</body></html>",
    "an HTML page: it holds no log-probs",
    "open it in a browser",
  ],
  [
    "dump.npz",
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>no</Message></Error>',
    "an object store's error (AccessDenied) instead of a file: the download failed",
    "download it again with credentials that allow reading it",
  ],
  [
    "a.svg",
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "an image (SVG): it holds no log-probs",
    "open it in a browser",
  ],
  [
    "grpo.yaml",
    "algorithm:\n  adv_estimator: grpo\n",
    "a config: it holds no log-probs",
    "logratio correct --lint grpo.yaml",
  ],
  [
    "grpo.toml",
    "[trainer]\nkl_tau = 1e-3\n",
    "a config: it holds no log-probs",
    "logratio correct --lint grpo.toml",
  ],
  [
    "grpo",
    "algorithm:\n  adv_estimator: grpo\n",
    "a config (a setting on each line)",
    "logratio correct --lint grpo",
  ],
  [
    "run.sh",
    "#!/bin/bash\npython3 -m verl.trainer.main_ppo\n",
    "a shell script",
    "logratio correct --lint run.sh",
  ],
  ["train.py", "import torch\n", "Python source: it holds no log-probs", "logratio correct --lint train.py"],
  [
    "train",
    "import torch\n\ndef main():\n    pass\n",
    "Python source: it holds no log-probs",
    "--lint train",
  ],
  ["notes.md", "# Notes\n\nhello\n", "a document (Markdown or the like)", "give the dump next to it"],
  ["notes", "# Notes\n\nhello\n", "a document (Markdown or the like)", "give the dump next to it"],
  [
    "notes.txt",
    "hello world, this is only text\n",
    "plain text that begins “hello world, this is only text”",
    "npz, npy, torch .pt",
  ],
  [
    "slurm-12.out",
    'starting\n2026-01-02 03:04:05,678 INFO worker started\n2026-01-02 03:04:06,001 ERROR out of memory\nTraceback (most recent call last):\n  File "a.py", line 1\nRuntimeError: no\n',
    "a program's log (2 of its first 6 lines begin with a time or a level; a Python traceback in line 4)",
    "a metrics.jsonl, CSV or TensorBoard file",
  ],
  [
    "ray.log",
    "\u001b[36m(TaskRunner pid=4711)\u001b[0m ready\n\u001b[36m(TaskRunner pid=4711)\u001b[0m going\n",
    "a program's log (2 of its first 2 lines begin with a time or a level)",
    "a metrics.jsonl, CSV or TensorBoard file",
  ],
  [
    "rank_0.bin",
    latin("\x9a\xc4\x10\0\x01"),
    "prime-rl's batches for the trainer (msgpack): they hold only the rollout side",
    "give the monitors directory of the run",
  ],
  [
    "numbers.json",
    "[[1, 2], [3, 4]]",
    "a JSON array whose values have no names: log-probs are recognized by their names",
    "write one object per sequence",
  ],
  ["noise.bin", latin("\xcc\xf6\x02\x57\x01"), "a binary file of no known format", "pytorch_model.bin"],
  ["noise", latin("\xcc\xf6\x02\x57\x01"), "binary data of no known format", "npz, npy, torch .pt"],
];

describe("a file of another kind is named", () => {
  it.each(BYTES)("%s", async (name, content, message, hint) => {
    const error = await refusal(name, content);
    expect(error.message.slice(0, message.length)).toBe(message);
    expect(error.hint).toContain(hint.replace("FILE", name));
  });

  it("or said to be unknown, in words", async () => {
    const error = await refusal("nothing-known", latin("\xcc\xf6\x02\x57"));
    expect(error._tag).toBe("FormatError");
    expect(error.likely).toContain("damaged, encrypted");
  });
});

const JSONS: readonly (readonly [name: string, content: object, message: string])[] = [
  [
    "tokenizer.json",
    { version: "1.0", added_tokens: [], model: { type: "BPE", vocab: { a: 0, b: 1 }, merges: [] } },
    "a tokenizer (BPE, 2 tokens)",
  ],
  ["tokenizer_config.json", { tokenizer_class: "Qwen2Tokenizer" }, "a tokenizer's config"],
  ["special_tokens_map.json", { eos_token: "</s>", pad_token: "<pad>" }, "a tokenizer's special tokens"],
  [
    "vocab.json",
    Object.fromEntries(Array.from({ length: 30 }, (_, id) => [`w${id}`, id])),
    "a tokenizer's vocabulary (30 tokens)",
  ],
  [
    "config.json",
    { architectures: ["Qwen2ForCausalLM"], model_type: "qwen2" },
    "a model's config (Qwen2ForCausalLM)",
  ],
  [
    "generation_config.json",
    { eos_token_id: 2, transformers_version: "5.0" },
    "generation settings (generation_config.json)",
  ],
  [
    "model.safetensors.index.json",
    { metadata: {}, weight_map: { a: "b" } },
    "the index of a model's weights",
  ],
  ["adapter_config.json", { peft_type: "LORA", r: 8 }, "the config of an adapter (PEFT)"],
  ["ds.json", { zero_optimization: { stage: 3 } }, "a config for DeepSpeed"],
  ["verl.json", { actor_rollout_ref: {}, algorithm: {} }, "a trainer's config (verl)"],
  [
    "responses.json",
    {
      "test/algebra/1": { response: "x = 2", correct: true },
      "test/algebra/2": { response: "3", correct: false },
    },
    "2 responses as text, by problem",
  ],
  ["a.ipynb", { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] }, "a Jupyter notebook"],
  ["trace.json", { traceEvents: [] }, "a profiler's trace"],
  [
    "answer.json",
    { error: { message: "model not found", type: "NotFoundError" } },
    "a server's error instead of an answer (“model not found”)",
  ],
  [
    "wandb-metadata.json",
    { os: "Linux", python: "3.12", program: "train.py" },
    "the description of a W&B run (wandb-metadata.json)",
  ],
];

describe("a JSON file of another kind is named", () => {
  it.each(JSONS)("%s, whatever it is called", async (name, content, message) => {
    for (const [as, text] of [
      [name, JSON.stringify(content, null, 2)],
      [`hidden-${name.replace(/\W/g, "")}.jsonl`, JSON.stringify(content)],
    ] as const) {
      const error = await refusal(as, text);
      expect(error.message).toBe(`${message}: it holds no log-probs`);
    }
  });

  it("but a dump whose columns are unknown lists them", async () => {
    const error = await refusal("mine.json", JSON.stringify({ model: "x", foo: [-1, -2] }));
    expect(error.message).toContain("foo: ");
  });

  it("and numbers under names are no vocabulary unless they are ids", async () => {
    const counts = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`w${at}`, 7]));
    expect((await refusal("counts.json", JSON.stringify(counts))).message).toContain("w0: ");
  });
});

describe("in a directory", () => {
  const line = JSON.stringify({
    rollout_log_probs: [-1, -2],
    old_log_probs: [-1, -2.5],
    response_mask: [1, 1],
  });

  it("other files are counted and named in one line; pointers to data are missed", async () => {
    const run = await mkdtemp(join(folder, "run-"));
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234\n";
    await writeFile(join(run, "step_1.jsonl"), `${line}\n`);
    await writeFile(join(run, "step_2.jsonl"), pointer);
    await writeFile(join(run, "index.json"), "<html></html>");
    await writeFile(join(run, "meta.json"), JSON.stringify({ weight_map: { a: "b" } }));
    const opened = await openRun([run]);
    const findings = opened.findings.list().map(({ severity, message }) => [severity, message]);
    expect(findings).toContainEqual([
      "info",
      "1 file without rollout and trainer log-probs (meta.json: the index of a model's weights)",
    ]);
    expect(findings).toContainEqual([
      "skipped",
      "step_2.jsonl cannot be read: a Git LFS pointer to a file of 1.2 kB: the file itself was not downloaded",
    ]);
    expect(findings).toContainEqual([
      "skipped",
      "index.json cannot be read: an HTML page: it holds no log-probs",
    ]);
    expect(opened.skipped).toBe(2);
  });
});

describe("files that other programs wrote", () => {
  const FIXTURES = "test/fixtures/other-files/";

  it.each([
    ["optimizer.pt", "an optimizer's state: it holds no log-probs"],
    ["scheduler.pt", "a learning rate schedule's state: it holds no log-probs"],
    ["model.pt", "a model's weights (4 tensors, 30 parameters): it holds no log-probs"],
    ["model.safetensors", "a model's weights (4 tensors, 30 parameters): it holds no log-probs"],
    ["spm.model", "a tokenizer (SentencePiece): it holds no log-probs"],
    ["data.arrow", "an Arrow file: Arrow's own format is not read; Parquet is"],
    ["stream.arrow", "an Arrow stream: Arrow's own format is not read; Parquet is"],
    ["data.h5", "an HDF5 file: HDF5 is not read; npz is"],
    ["run.wandb", "W&B's log of a run (.wandb): no metric with a step can be read from it"],
  ])("%s", async (name, message) => {
    const path = FIXTURES + name;
    const examined = await examine({ path, root: path, relative: "" }, { findings: new FindingLog() });
    expect(isFailure(examined) && examined.error.message).toBe(message);
  });
});
