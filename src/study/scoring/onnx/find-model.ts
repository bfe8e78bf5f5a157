import { basename, dirname, join } from "node:path";
import { NotFoundError } from "../../../core/base/index.ts";
import { listIfPresent, statIfPresent } from "../../../input/io/index.ts";

export interface FoundModel {
  readonly file: string;
  /** The file's path below the given one. */
  readonly name: string;
  /** Directories that may have `config.json` and the like, nearest first. */
  readonly configDirectories: readonly string[];
}

/** In order of preference; a merged decoder has a KV cache and also accepts a whole prompt. */
const NAMES = [
  "model.onnx",
  "decoder_model_merged.onnx",
  "decoder_model.onnx",
  "model_fp16.onnx",
  "decoder_model_merged_fp16.onnx",
  "decoder_model_fp16.onnx",
];
const HINT =
  "export a model with optimum-cli export onnx --model CHECKPOINT --task text-generation-with-past DIR, or name the .onnx file";

/**
 * Finds the model of a path: the file itself, or the first of the usual names in the directory or in its `onnx/`, or
 * the only `.onnx` file there.
 *
 * @throws NotFoundError; FileSystemError if the path cannot be examined
 */
export async function findModel(path: string): Promise<FoundModel> {
  const found = await statIfPresent(path);
  if (found === undefined)
    throw new NotFoundError(`${path} does not exist`, {
      at: { file: path },
      likely: "the path is misspelled, or the model was exported elsewhere",
      hint: "check the path; relative paths start at the current directory",
    });
  if (!found.isDirectory()) {
    const home = dirname(path);
    const above = basename(home) === "onnx" ? [dirname(home)] : [];
    return { file: path, name: basename(path), configDirectories: [home, ...above] };
  }
  const others: string[] = [];
  for (const folder of ["", "onnx"]) {
    const names = (await listIfPresent(join(path, folder))) ?? [];
    const here = names.filter((name) => name.endsWith(".onnx"));
    const usual = NAMES.find((name) => here.includes(name));
    if (usual !== undefined) return inside(path, join(folder, usual));
    others.push(...here.map((name) => join(folder, name)));
  }
  if (others.length === 1) return inside(path, others[0]!);
  throw new NotFoundError(
    others.length === 0
      ? `${path} holds no .onnx file, nor does its folder onnx/`
      : `${path} holds ${others.length} .onnx files and none of the usual names: ${others.slice(0, 8).join(", ")}`,
    {
      at: { file: path },
      likely:
        others.length === 0 ? "the checkpoint exists only in another format" : "it holds several models",
      hint: others.length === 0 ? HINT : `name the file: ${join(path, others[0]!)}`,
    },
  );
}

function inside(path: string, name: string): FoundModel {
  const file = join(path, name);
  return { file, name, configDirectories: [path, dirname(file)] };
}
