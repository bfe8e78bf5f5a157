/** Likely causes and hints that several readers share, so that one cause always has the same words. */
export const LIKELY_CUT_OFF = "the file was probably cut off while it was being written";
export const LIKELY_DAMAGED = "the file was damaged while it was copied or stored";
export const LIKELY_CRAFTED = "the header is damaged, or crafted to exhaust memory";
export const HINT_WRITE_AGAIN = "write or copy the file again; if its step is lost, leave it out";
