/**
 * Evidence against a hypothesis that may cease to hold at any step: an e-process with a change point.
 *
 * Each step contributes a factor whose expectation, given the previous steps, is at most 1 while the hypothesis holds.
 * For each step j at which it may have ended, a wealth starts with a share w_j = 1/(j(j + 1)) of the stake and is
 * multiplied by the factors from j on. All shares sum to 1, so the sum of wealths is a non-negative supermartingale
 * that starts at 1, and the chance that it ever reaches 1/α is at most α (Ville 1939; Howard, Ramdas, McAuliffe and
 * Sekhon, Annals of Statistics 49, 2021). The mixture over starts is that of e-detectors (Shin, Ramdas and Rinaldo,
 * NEJSDS 2, 2024), with summable instead of equal shares, so that the bound applies to the whole run and not to the
 * time between alarms.
 *
 * The step at which the largest wealth started is the most likely change point.
 *
 * @module
 */
import { addLogs } from "./add-logs.ts";

/** What the steps so far show. */
export interface ChangeEvidence {
  /** ln of the sum of wealths, nats; alarms at ln(1/α) and above. */
  readonly logEvidence: number;
  /** The step from which the hypothesis most likely fails; NaN before the first step. */
  readonly since: number;
}

interface Bet {
  all: number;
  best: number;
  since: number;
}

export class ChangeProcess {
  #steps = 0;
  readonly #bets: Bet[];

  /** @param bets how many ways of betting share the stake */
  constructor(bets: number) {
    this.#bets = Array.from({ length: bets }, () => ({
      all: Number.NEGATIVE_INFINITY,
      best: Number.NEGATIVE_INFINITY,
      since: Number.NaN,
    }));
  }

  /** @param logFactors ln of the step's factor, for each bet */
  add(step: number, logFactors: readonly number[]): ChangeEvidence {
    this.#steps++;
    const share = -Math.log(this.#steps * (this.#steps + 1));
    this.#bets.forEach((bet, i) => {
      const factor = logFactors[i] ?? 0;
      if (share >= bet.best) {
        bet.best = share;
        bet.since = step;
      }
      bet.best += factor;
      bet.all = addLogs(bet.all, share) + factor;
    });
    return this.read();
  }

  read(): ChangeEvidence {
    // Future starts hold the rest of the stake.
    const rest = -Math.log(this.#steps + 1);
    const all = this.#bets.reduce((sum, { all }) => addLogs(sum, all), Number.NEGATIVE_INFINITY);
    const best = this.#bets.reduce<Bet | undefined>(
      (a, b) => (a === undefined || b.best > a.best ? b : a),
      undefined,
    );
    return {
      logEvidence: addLogs(all - Math.log(this.#bets.length), rest),
      since: best?.since ?? Number.NaN,
    };
  }
}
