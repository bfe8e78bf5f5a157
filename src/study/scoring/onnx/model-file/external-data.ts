import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import { FormatError, NotFoundError } from "../../../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CUT_OFF, statIfPresent } from "../../../../input/io/index.ts";
import type { OnnxModel } from "./read-model.ts";

/**
 * Checks that the files of a model's external weights exist and are as long as the model says.
 *
 * @throws NotFoundError when a file does not exist
 * @throws FileSystemError when the system denies access to a file
 * @throws FormatError when a file is too short, or its name leads out of the model's directory
 */
export async function checkExternalData(model: OnnxModel): Promise<void> {
  const needed = new Map<string, { bytes: number; entry: string; count: number }>();
  for (const { name, external } of model.weights.values()) {
    if (external === null) continue;
    const before = needed.get(external.location);
    const end = external.offset + (external.length ?? 0);
    needed.set(external.location, {
      bytes: Math.max(end, before?.bytes ?? 0),
      entry: before === undefined || end > before.bytes ? name : before.entry,
      count: (before?.count ?? 0) + 1,
    });
  }
  for (const [location, { bytes, entry, count }] of needed) {
    const path = join(dirname(model.file), location);
    const at = { file: model.file, entry };
    if (isAbsolute(location) || normalize(location).split(sep)[0] === "..") {
      throw new FormatError(`the model looks for weights in ${location}, outside its directory`, {
        at,
        likely: "it was exported with an absolute path, or crafted to read other files",
        hint: "export it with a plain file name as the location of external data",
      });
    }
    const found = await statIfPresent(path);
    if (found === undefined || !found.isFile()) {
      throw new NotFoundError(`${count} weights are in ${path}, which does not exist`, {
        at,
        likely: "only the .onnx file was copied; a large model keeps its weights in a second file",
        hint: `copy ${location} next to ${model.file}`,
      });
    }
    if (found.size < bytes) {
      throw new FormatError(
        `${path} is cut off: weights extend to byte ${bytes}, but the file has ${found.size}`,
        {
          at,
          likely:
            found.size < 200 ? "it is a Git LFS pointer: git lfs pull fetches the file" : LIKELY_CUT_OFF,
          hint: HINT_WRITE_AGAIN,
        },
      );
    }
  }
}
