export type Allocate = (byteLength: number) => Uint8Array;

/**
 * Random access to bytes: the interface through which readers see files, memory and objects in remote stores.
 *
 * @module
 */
export interface ByteSource {
  /** The path as the user wrote it; `-` for standard input. */
  readonly name: string;
  /** Size, in bytes. */
  readonly byteLength: number;
  /** Its name is not a path on this machine: code that needs a file on disk copies it first. */
  readonly isRemote?: boolean;
  /**
   * Bytes `[start, end)`; `end` past the end is the caller's error. The result may be a view.
   *
   * @param allocate returns memory for bytes that must be copied, of the requested size and used from offset 0; a source
   * need not call it. Default: new memory
   */
  slice(start: number, end: number, allocate?: Allocate): Promise<Uint8Array>;
  /** Releases the source; nothing is read afterwards. */
  close(): Promise<void>;
}

/** How a whole file is compressed, by its first bytes. */
export type Compression = "none" | "gzip" | "zstd";
