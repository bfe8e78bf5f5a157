/**
 * The standard deviation σ in nats of logit noise that would cause these Δ: a logit that moves by ε moves the log-prob of
 * the sampled token by about (1 − p) ε. For normal noise both forms agree; 0 if no token is unsure.
 */
export interface LogitNoise {
  /** √(ΣΔ² / Σ(1 − p)²): the plain form, which a few large Δ can dominate. */
  readonly logitNoise: number;
  /**
   * √(π/2) · Σ|Δ| / Σ(1 − p), since mean |ε| = σ √(2/π) for normal ε: less sensitive to a few tokens, hides no fault.
   */
  readonly logitNoiseMean: number;
}

export function measureLogitNoise({
  abs,
  square,
  unsure,
  unsureSquare,
}: Readonly<Record<"abs" | "square" | "unsure" | "unsureSquare", number>>): LogitNoise {
  return {
    logitNoise: unsureSquare === 0 ? 0 : Math.sqrt(square / unsureSquare),
    logitNoiseMean: unsure === 0 ? 0 : (Math.sqrt(Math.PI / 2) * abs) / unsure,
  };
}

/** Σ|Δ|, ΣΔ², Σ(1 − p) and Σ(1 − p)² of some tokens. */
export class NoiseSums {
  tokens = 0;
  abs = 0;
  square = 0;
  unsure = 0;
  unsureSquare = 0;

  /** @param logprob log p of the side whose noise it is, nats; above 0 it counts as 0 */
  add(logprob: number, delta: number): void {
    const unsure = -Math.expm1(Math.min(0, logprob));
    this.tokens++;
    this.abs += Math.abs(delta);
    this.square += delta * delta;
    this.unsure += unsure;
    this.unsureSquare += unsure * unsure;
  }
}
