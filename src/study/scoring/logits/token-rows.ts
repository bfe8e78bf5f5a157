/**
 * A dense `[N, T, V]` array viewed as `[N·T, V]`, so that a few tokens of one text can be read: the tensor's own rows
 * are whole texts.
 *
 * @module
 */

import type { ByteSource, Tensor } from "../../../input/io/index.ts";
import { openMember, openZip } from "../../../input/io/index.ts";
import type { FixedDType } from "../../../input/readers/index.ts";
import { rowMajorStrides, tensorOver } from "../../../input/readers/index.ts";
import { readNpyHeader } from "../../../input/readers/npz/index.ts";
import type { OpenTensors } from "./open-tensors.ts";

export interface TokenRows {
  /** `[N·T, V]`. */
  readonly tensor: Tensor;
  close(): Promise<void>;
}

interface Located {
  readonly source: ByteSource;
  readonly offset: number;
  readonly littleEndian: boolean;
}

/**
 * @param tensor a tensor of three dimensions, called `name` in the file
 * @returns undefined if its elements are not contiguous, or the format does not show where they are
 */
export async function viewTokens(
  { document, source }: OpenTensors,
  name: string,
  tensor: Tensor,
): Promise<TokenRows | undefined> {
  if (tensor.dtype === "string") return undefined;
  const at = { file: document.file, entry: name };
  const located = await locate();
  if (located === undefined) return undefined;
  const [texts, tokens, width] = tensor.shape as [number, number, number];
  const shape = [texts * tokens, width];
  const dtype: FixedDType = tensor.dtype;
  const { source: bytes, offset, littleEndian } = located;
  const strides = rowMajorStrides(shape);
  return {
    tensor: tensorOver(bytes, { dtype, littleEndian, shape, strides, offset, at }),
    close: async () => {
      if (bytes !== source) await bytes.close();
    },
  };

  async function locate(): Promise<Located | undefined> {
    if (document.format === "safetensors") return inSafetensors(source, name);
    if (document.format === "npy") return inNpy(source);
    if (document.format !== "npz") return undefined;
    const zip = await openZip(source);
    const member = zip.members.get(`${name}.npy`);
    return member === undefined ? undefined : inNpy(openMember(zip, member));
  }

  async function inNpy(bytes: ByteSource): Promise<Located | undefined> {
    const { type, fortran, dataStart } = await readNpyHeader(bytes, at);
    if (fortran || type.kind !== "fixed") return undefined;
    return { source: bytes, offset: dataStart, littleEndian: type.littleEndian };
  }
}

/** The reader has checked the header: a length in 8 bytes, then JSON with each tensor's offsets into what follows. */
async function inSafetensors(source: ByteSource, name: string): Promise<Located> {
  const prefix = await source.slice(0, 8);
  const length = new DataView(prefix.buffer, prefix.byteOffset, 8).getUint32(0, true);
  const text = Buffer.from(await source.slice(8, 8 + length)).toString("utf8");
  const header = JSON.parse(text) as Readonly<Record<string, { readonly data_offsets: readonly number[] }>>;
  return { source, offset: 8 + length + header[name]!.data_offsets[0]!, littleEndian: true };
}
