/**
 * Files recognized by their first bytes: magic numbers, pointers, the remains of failed copies.
 *
 * @module
 */
import { formatBytes } from "../../core/text/index.ts";
import type { OtherFile } from "./other-file.ts";

const DUMP_INSTEAD = "give the files that the trainer dumps, or the directory they are in";
const UNPACK = "unpack it, and give the directory";

interface Magic {
  readonly bytes: string;
  readonly at?: number;
  readonly is: OtherFile;
}

const image = (kind: string): OtherFile => ({ what: `an image (${kind})`, hint: DUMP_INSTEAD });
const program = (kind: string): OtherFile => ({ what: `a program or library (${kind})`, hint: DUMP_INSTEAD });
const compressed = (kind: string, command: string): OtherFile => ({
  what: `a file compressed with ${kind}`,
  why: "gzip and zstd are the compressions that are read",
  hint: `decompress it first: ${command}`,
});

/** Patterns for the bytes as Latin-1; the first match wins. */
const MAGIC: readonly Magic[] = [
  {
    // Written by `parts/container.ts`.
    bytes: "\x89LRS\r\n\x1a\n",
    is: {
      what: "a part that logratio summarize wrote",
      why: "it holds sums, not sequences and tokens",
      hint: "to see its figures, run logratio merge GIVEN --html report.html; view, show and compare need the dumps",
    },
  },
  { bytes: "\x89PNG\r\n\x1a\n", is: image("PNG") },
  { bytes: "\xff\xd8\xff", is: image("JPEG") },
  { bytes: "GIF8", is: image("GIF") },
  { bytes: "WEBP", at: 8, is: image("WebP") },
  { bytes: "%PDF-", is: { what: "a PDF document", hint: DUMP_INSTEAD } },
  {
    bytes: "GGUF",
    is: {
      what: "a model's weights (GGUF)",
      hint: "to compare two models, score the same texts with a server of each: logratio score",
    },
  },
  {
    bytes: "SQLite format 3\0",
    is: {
      what: "an SQLite database",
      hint: "export the table as CSV, Parquet or JSONL first, e.g. sqlite3 -csv -header FILE 'SELECT * FROM metrics' > metrics.csv",
    },
  },
  {
    bytes: ":W&B",
    is: {
      what: "W&B's log of a run (.wandb)",
      why: "no metric with a step can be read from it",
      hint: "if the run logged metrics, export its history as CSV: wandb.Api().run(PATH).history().to_csv('history.csv')",
    },
  },
  {
    bytes: "ARROW1\0\0",
    is: {
      what: "an Arrow file",
      why: "Arrow's own format is not read; Parquet is",
      hint: "write it as Parquet: pyarrow.parquet.write_table(pyarrow.ipc.open_file(FILE).read_all(), 'data.parquet')",
    },
  },
  {
    bytes: "\xff\xff\xff\xff",
    is: {
      what: "an Arrow stream",
      why: "Arrow's own format is not read; Parquet is",
      hint: "write it as Parquet: datasets.Dataset.from_file(FILE).to_parquet('data.parquet')",
    },
  },
  {
    bytes: "\x89HDF\r\n\x1a\n",
    is: {
      what: "an HDF5 file",
      why: "HDF5 is not read; npz is",
      hint: "write its arrays as npz: numpy.savez('data.npz', **{name: h5py.File(FILE)[name][()] for name in NAMES})",
    },
  },
  {
    bytes: "ORC",
    is: { what: "an ORC file", why: "ORC is not read; Parquet is", hint: "write it as Parquet" },
  },
  {
    bytes: "Obj\x01",
    is: { what: "an Avro file", why: "Avro is not read; Parquet is", hint: "write it as Parquet" },
  },
  { bytes: "ustar", at: 257, is: { what: "a tar archive", why: "archives are not searched", hint: UNPACK } },
  {
    bytes: "7z\xbc\xaf\x27\x1c",
    is: { what: "a 7z archive", why: "archives are not searched", hint: UNPACK },
  },
  { bytes: "Rar!", is: { what: "a RAR archive", why: "archives are not searched", hint: UNPACK } },
  { bytes: "BZh", is: compressed("bzip2", "bunzip2 FILE") },
  { bytes: "\xfd7zXZ\0", is: compressed("xz", "unxz FILE") },
  { bytes: "\x04\x22\x4d\x18", is: compressed("lz4", "lz4 -d FILE") },
  { bytes: "\x7fELF", is: program("ELF") },
  { bytes: "MZ\x90\0", is: program("Windows") },
  { bytes: "\xcf\xfa\xed\xfe", is: program("Mach-O") },
];

/** Control characters that do not occur in text, except ESC, which colors programs' logs. */
const CONTROLS = new Set([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31,
]);
const NOTHING_BUT_SPACE = /^[\s\ufeff]*$/;

/**
 * Recognizes a file by its bytes, without reading it as data.
 *
 * @param byteLength of the whole file, if known
 */
export function nameBytes(head: Uint8Array, byteLength: number | undefined): OtherFile | undefined {
  const latin = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024)).toString("latin1");
  const isWhole = byteLength === undefined || byteLength <= head.length;
  return (
    namePointer(latin) ??
    nameZeros(head, byteLength) ??
    (isWhole && NOTHING_BUT_SPACE.test(Buffer.from(head).toString("utf8"))
      ? blank(head.length)
      : undefined) ??
    nameWide(head) ??
    MAGIC.find(({ bytes, at = 0 }) => latin.startsWith(bytes, at))?.is ??
    nameVocabulary(latin)
  );
}

function blank(bytes: number): OtherFile {
  return {
    what: `an empty file (${formatBytes(bytes)} of white space)`,
    why: "there is nothing in it",
    likely: "the job that should write it ended before its first line",
    hint: "give a file with data",
    standsForData: true,
  };
}

/** Placeholders of large files in repositories. */
function namePointer(latin: string): OtherFile | undefined {
  if (latin.startsWith("version https://git-lfs.github.com/spec/v1")) {
    const size = /^size (\d{1,15})$/m.exec(latin)?.[1];
    return {
      what: `a Git LFS pointer${size === undefined ? "" : ` to a file of ${formatBytes(Number(size))}`}`,
      why: "the file itself was not downloaded",
      likely: "the repository was cloned without Git LFS",
      hint: "run git lfs pull in the repository, then try again",
      standsForData: true,
    };
  }
  if (/^[./]*(?:\.git)?\/annex\/objects\/[^\n]+\n?$/.test(latin)) {
    return {
      what: "a git-annex pointer",
      why: "the file itself was not downloaded",
      hint: "run git annex get FILE in the repository, then try again",
      standsForData: true,
    };
  }
  return undefined;
}

/** A copy that got its size but not its content. */
function nameZeros(head: Uint8Array, byteLength: number | undefined): OtherFile | undefined {
  if (head.length < 8 || head.some((byte) => byte !== 0)) return undefined;
  const zeros = byteLength === undefined || byteLength > head.length ? head.length : byteLength;
  return {
    what: `a file that begins with ${formatBytes(zeros)} of zero bytes`,
    why: "nothing can be read from it",
    likely:
      "its size was reserved, but the copy, download or job that writes it ended before the content was written",
    hint: "copy or write it again",
    standsForData: true,
  };
}

function nameWide([first, second, third]: Uint8Array): OtherFile | undefined {
  const order =
    first === 0xff && second === 0xfe ? "LE" : first === 0xfe && second === 0xff ? "BE" : undefined;
  // Arrow streams and UTF-32 begin with the same bytes.
  if (order === undefined || third === 0xff) return undefined;
  return {
    what: "text in UTF-16",
    why: "text is read as UTF-8",
    likely: "it was written with > in PowerShell, which writes UTF-16",
    hint: "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
    standsForData: true,
  };
}

const TOKENIZER_HINT = "to use it with a dump, add --tokenizer DIR, the directory with tokenizer.json in it";

/** SentencePiece's protobuf begins with its first piece; tiktoken's file with a base64 token and its rank. */
function nameVocabulary(latin: string): OtherFile | undefined {
  if (latin.startsWith("\n") && /^..<(?:unk|pad|s)>/s.test(latin.slice(2)))
    return { what: "a tokenizer (SentencePiece)", hint: TOKENIZER_HINT };
  if (/^[A-Za-z0-9+/]+={0,2} 0\r?\n[A-Za-z0-9+/]+={0,2} 1\r?\n/.test(latin))
    return { what: "a tokenizer's vocabulary (tiktoken)", hint: TOKENIZER_HINT };
  return undefined;
}

/** Whether bytes are text. */
export function isText(head: Uint8Array): boolean {
  const sample = head.subarray(0, 4096);
  if (sample.length === 0 || sample.some((byte) => CONTROLS.has(byte))) return false;
  // A character cut off by the end of the sample is not damage.
  return !Buffer.from(sample).toString("utf8").slice(0, -3).includes("\ufffd");
}
