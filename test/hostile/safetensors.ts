/**
 * safetensors files whose headers are larger than their data.
 *
 * @module
 */
import type { HostileFile } from "./hostile-file.ts";

function safetensors(header: string): Uint8Array {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header)]);
}

export const HOSTILE_SAFETENSORS: readonly HostileFile[] = [
  {
    name: "tensors.safetensors",
    make: () => {
      const entry = '{"dtype":"F32","shape":[0],"data_offsets":[0,0]}';
      const entries = Array.from({ length: 100_000 }, (_, i) => `"t${i}":${entry}`);
      return safetensors(`{${entries.join()}}`);
    },
    expect: { exit: 3, says: /a safetensors header of \d+ bytes would take .* the limit is 64 MiB/s },
  },
  {
    name: "nested-header.safetensors",
    make: () => safetensors(`{"x":[${"[],".repeat(2_000_000)}1]}`),
    expect: { exit: 3, says: /a safetensors header of \d+ bytes would take/ },
  },
  {
    name: "no-rows.safetensors",
    make: () => {
      const entry = '{"dtype":"F32","shape":[1000000000,0],"data_offsets":[0,0]}';
      return safetensors(`{"rollout_log_probs":${entry},"old_log_probs":${entry}}`);
    },
    expect: { exit: 3, says: /have 1000000000 rows; at most/ },
  },
];
