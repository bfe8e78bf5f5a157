/**
 * What `kl` says about checkpoints that only wander or jitter, problems without a change, and errors at a random
 * result.
 *
 * @module
 */

import { poissonBinomialTail } from "../../../src/core/statistics/poisson-binomial.ts";
import { exactSignedRank } from "../../../src/core/statistics/wilcoxon.ts";
import { seededBootstrap } from "../../../src/study/analysis/report/bootstrap.ts";
import { findTrend } from "../../../src/study/analysis/report/trend.ts";
import { testTurn } from "../../../src/study/analysis/report/turn-test.ts";
import { type Claim, normal } from "./claim.ts";

/** How the mean KL of a problem is drawn. */
interface Problems {
  readonly name: string;
  readonly truth: number;
  draw(random: () => number): number;
}

type Path = (count: number, random: () => number) => number[];

const PATHS: Readonly<Record<string, Path>> = {
  "a walk without drift": (count, random) => {
    let at = 0;
    return Array.from({ length: count }, () => {
      at += normal(random);
      return at;
    });
  },
  "a walk of factors without drift, sd 0.15": (count, random) => {
    let at = 0;
    return Array.from({ length: count }, () => {
      at += 0.15 * normal(random);
      return Math.exp(at);
    });
  },
  "autocorrelation 0.8": (count, random) => {
    let at = normal(random) / 0.6;
    return Array.from({ length: count }, () => {
      at = 0.8 * at + normal(random);
      return at;
    });
  },
  "jitter around a level": (count, random) => Array.from({ length: count }, () => normal(random)),
  "jitter around a trend": (count, random) =>
    Array.from({ length: count }, (_, i) => 0.3 * i + normal(random)),
  "jitter around a level that is reached": (count, random) =>
    Array.from({ length: count }, (_, i) => 1.5 * Math.min(i, count / 2) + normal(random)),
};

function trendClaim(process: string, count: number, limits: readonly [number, number]): Claim {
  const steps = Array.from({ length: count }, (_, i) => 100 * i);
  return {
    method: "kl: trend of mean KL",
    process: `${process}, ${count} checkpoints`,
    rate: "false alarms",
    nominal: 0.05,
    limits,
    once: (random) => (findTrend(steps, PATHS[process]!(count, random))?.p_value ?? 1) < 0.05,
  };
}

function turnClaim(process: string, count: number): Claim {
  return {
    method: "kl: turning point",
    process: `${process}, ${count} checkpoints`,
    rate: "false alarms",
    nominal: 0.05,
    limits: [0, 0.08],
    once: (random) => (testTurn(PATHS[process]!(count, random), 42)?.p_value ?? 1) < 0.05,
  };
}

function lognormal(spread: number): Problems {
  return {
    name: `lognormal ${spread}`,
    truth: Math.exp(spread ** 2 / 2),
    draw: (random) => Math.exp(spread * normal(random)),
  };
}

const ONE_IN_TWENTY: Problems = {
  name: "one in 20 at 30 times the others",
  truth: 0.95 + 0.05 * 30,
  draw: (random) => (random() < 0.05 ? 30 : 1) * Math.exp(0.3 * normal(random) - 0.045),
};
const CHANGES: Problems = {
  name: "changes e^N(0, 1) − e^N(0, 1)",
  truth: 0,
  draw: (random) => Math.exp(normal(random)) - Math.exp(normal(random)),
};

function intervalClaim(
  problems: number,
  { name, truth, draw }: Problems,
  limits: readonly [number, number],
): Claim {
  const bootstrap = seededBootstrap(1000, 42);
  return {
    method: "kl: interval of mean KL",
    process: `${problems} problems, ${name}`,
    rate: "coverage",
    nominal: 0.95,
    limits,
    once: (random) => {
      const interval = bootstrap.mean(Array.from({ length: problems }, () => draw(random)));
      return interval !== null && interval.low <= truth && truth <= interval.high;
    },
  };
}

function comparisonClaim(problems: number): Claim {
  return {
    method: "kl: two checkpoints",
    process: `no difference, ${problems} problems`,
    rate: "false alarms",
    nominal: 0.05,
    limits: [0.005, 0.09],
    once: (random) => exactSignedRank(Array.from({ length: problems }, () => normal(random))).pValue < 0.05,
  };
}

/** The error is a random one of a text's results; each has a spike with the text's own probability. */
function errorClaim(texts: number, spikes: number): Claim {
  return {
    method: "kl: spikes at first errors",
    process: `${texts} texts, a spike at ${100 * spikes} % of their 2 to 6 results, right or wrong`,
    rate: "false alarms",
    nominal: 0.05,
    limits: [0, 0.09],
    once: (random) => {
      const chances: number[] = [];
      let hits = 0;
      for (let text = 0; text < texts; text++) {
        const results = Array.from({ length: 2 + Math.floor(5 * random()) }, () => random() < spikes);
        if (results[Math.floor(results.length * random())]) hits++;
        chances.push(results.filter(Boolean).length / results.length);
      }
      return poissonBinomialTail(chances, hits) < 0.05;
    },
  };
}

export const KL_CLAIMS: readonly Claim[] = [
  trendClaim("a walk without drift", 6, [0.02, 0.09]),
  trendClaim("a walk without drift", 10, [0.02, 0.09]),
  trendClaim("a walk of factors without drift, sd 0.15", 10, [0.02, 0.09]),
  trendClaim("a walk without drift", 20, [0.02, 0.09]),
  trendClaim("jitter around a level", 10, [0, 0.06]),
  turnClaim("jitter around a level", 10),
  turnClaim("a walk without drift", 10),
  turnClaim("a walk without drift", 20),
  turnClaim("autocorrelation 0.8", 20),
  turnClaim("jitter around a trend", 10),
  turnClaim("jitter around a level that is reached", 10),
  ...[6, 12, 30, 60].map((problems) => intervalClaim(problems, lognormal(0.3), [0.9, 0.99])),
  ...[12, 30, 100].map((problems) => intervalClaim(problems, lognormal(1), [0.9, 0.99])),
  // Six problems cannot give a mean that depends on a few large values, nor 100 one that depends on fewer.
  intervalClaim(6, lognormal(1), [0.81, 0.95]),
  ...[30, 100].map((problems) => intervalClaim(problems, lognormal(1.5), [0.83, 0.96])),
  // Of 30 problems, none is large in 21 % of the studies: no interval can know.
  intervalClaim(30, ONE_IN_TWENTY, [0.68, 0.86]),
  intervalClaim(100, ONE_IN_TWENTY, [0.92, 1]),
  ...[12, 60].map((problems) => intervalClaim(problems, CHANGES, [0.9, 0.99])),
  comparisonClaim(8),
  comparisonClaim(15),
  comparisonClaim(60),
  errorClaim(30, 0.5),
  errorClaim(250, 0.9),
];
