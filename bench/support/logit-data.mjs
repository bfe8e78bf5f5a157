import { uniforms } from "./token-data.mjs";

/**
 * Logits of two policies, `[rows, columns]` each: a normal bulk, a few dozen likely tokens, and in half of the rows a
 * token with almost all probability. The second policy differs by noise of standard deviation `scale`.
 */
export function logitRows(rows, columns, { seed = 1, scale = 0.05 } = {}) {
  const uniform = uniforms(seed);
  const p = new Float32Array(rows * columns);
  const q = new Float32Array(rows * columns);
  // Two normal numbers from two uniform ones (Box and Muller).
  for (let i = 0; i < p.length; i++) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    p[i] = 2.5 * radius * Math.cos(angle);
    q[i] = scale * radius * Math.sin(angle);
  }
  for (let row = 0; row < rows; row++) {
    const place = () => row * columns + Math.floor(columns * uniform());
    for (let likely = 0; likely < 40; likely++) p[place()] = 8 + 8 * uniform();
    p[place()] = row % 2 === 0 ? 24 + 4 * uniform() : 17;
  }
  for (let i = 0; i < p.length; i++) q[i] += p[i];
  return { p, q };
}

/** The bits of the nearest bfloat16, halves to even. */
export function bfloat16Bits(values) {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, (word) => (word + 0x7fff + ((word >>> 16) & 1)) >>> 16);
}

/** The bits of the nearest binary16 of values between -65504 and 65504. */
export function float16Bits(values) {
  return Uint16Array.from(values, (value) => {
    const size = Math.abs(value);
    const exponent = size === 0 ? -14 : Math.max(-14, Math.floor(Math.log2(size)));
    const magnitude = Math.round(size * 2 ** (10 - exponent)) + (exponent + 14) * 1024;
    return (value < 0 ? 0x8000 : 0) | magnitude;
  });
}
