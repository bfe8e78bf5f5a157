/**
 * Limits on what a file may declare. Files are not trusted, so every number in a header is a claim: it is compared
 * with the bytes that the file really has, and these constants bound the claims that bytes cannot settle.
 *
 * @module
 */

/**
 * Members of one zip archive. An entry takes 46 bytes of directory, so a 10 GB file could list 200 million; torch
 * writes one member per storage, and 512 samples with 20 tensors each make 10,240.
 */
export const MAX_ZIP_MEMBERS = 1_000_000;

/** Deflate packs at most 1032 bytes into one (zlib's technical details), so a member that claims more lies. */
export const MAX_DEFLATE_RATIO = 1032;

/**
 * Bytes of an npy header. Version 1 cannot say more than 65,535, and NumPy itself refuses to evaluate more than
 * 10,000; longer ones occur only for record types of hundreds of fields, which are not supported.
 */
export const MAX_NPY_HEADER_BYTES = 65_536;

/** Bytes of a safetensors header: the limit of the reference implementation, so no longer one was ever written. */
export const MAX_SAFETENSORS_HEADER_BYTES = 100_000_000;

/**
 * Bytes of a Parquet footer. It names every column of every row group, about 100 bytes each: this is 600,000 of them.
 */
export const MAX_PARQUET_FOOTER_BYTES = 2 ** 26;

/**
 * Heap per value in a Parquet footer, ours and DuckDB's together: one byte of an empty struct becomes a whole value.
 */
export const PARQUET_FOOTER_VALUE_BYTES = 128;

/**
 * Bytes on disk of an unpacked Parquet file, in multiples of the memory limit: it costs disk and not memory, but a
 * megabyte of zstd can fill any disk.
 */
export const SCRATCH_PER_MEMORY = 4;

/** Dimensions of an array: NumPy's and PyTorch's own limit. */
export const MAX_DIMENSIONS = 64;

/**
 * Elements that one array may declare. 2^48 bytes are 281 TB: beyond that, the header is damaged or hostile, and the
 * file not merely cut off. Products below it are exact in a double.
 */
export const MAX_ELEMENTS = 2 ** 48;

/** Bytes read or inflated at once. float16 doubles when it widens, and Node 20 holds at most 4 GiB in one array. */
export const MAX_READ_BYTES = 2 ** 31;

/** Bytes of one pickle, which is held in memory while it is read: 2 GiB are about 200 million Python floats. */
export const MAX_PICKLE_BYTES = 2 ** 31 - 1;

/** Nesting of lists, tuples and dicts. Python's recursion limit keeps its own pickler below about 300. */
export const MAX_PICKLE_DEPTH = 256;

/**
 * Heap used by reading a pickle, from the smallest heap in which a million of each can be read: this much for each
 * opcode (a value on the stack, in a list, in the tree; runs of numbers in a list are counted by their bytes instead),
 * more for each list, tuple, dict, set and object, and still more for a dict. A pair of numbers measures 400 bytes and
 * is charged 400; a dict of two measures 640 and is charged 768.
 */
export const PICKLE_OPCODE_BYTES = 32;
export const PICKLE_CONTAINER_BYTES = 304;
export const PICKLE_DICT_BYTES = 240;

/**
 * Memo slots of one pickle. The pickler numbers them consecutively, so a higher number does not come from a pickler.
 */
export const MAX_PICKLE_MEMO = 2 ** 24;

/** Bytes of one Python int: 2^1024 is where a double ends. */
export const MAX_PICKLE_INT_BYTES = 129;

/**
 * Values per byte of a pickle, above a floor, with shared values counted at each reference: ten lists that each hold
 * the previous one ten times ("billion laughs") are 10^10 values in 100 bytes.
 */
export const MAX_PICKLE_EXPANSION = 16;
export const MAX_PICKLE_EXPANSION_FLOOR = 2 ** 24;

/** Bytes of a non-array member of an npz archive, which is passed on as bytes. */
export const MAX_PLAIN_MEMBER_BYTES = 2 ** 26;

/**
 * Sequences in one set of `[B, T]` arrays. A training step has at most some 100,000; rows of one token, which deflate
 * packs a thousandfold, would keep a report busy for minutes.
 */
export const MAX_ARRAY_ROWS = 2 ** 21;

/** Directory entries that one call walks: 100 ranks of 5,000 steps. A million of them take half a minute. */
export const MAX_WALK_ENTRIES = 500_000;

/** Depth of nested directories. */
export const MAX_WALK_DEPTH = 64;
