/**
 * Case studies for the sample report: a short text with a tool call and an error, and one of a thousand tokens.
 *
 * @module
 */
import type { CaseStudy, SpikeFigures } from "../results/texts.ts";

const SHORT =
  "Step| 1|:| There| are| |2| boxes| with| |85| apples| each|.|\n|<calc>|2|*|85|</calc>|<out>|1|7|0|</out>|\n|" +
  "Step| 2|:| He| gives| away| |4|5|,| so| we| need| to| subtract|:|\n|\t|$|17|0| -| |45| =| |12|5|$|.|\n\n|" +
  "Wait|,| that| is| not| right|:| |170| −| |45| =| |115|.|\n|数|学| is| fun| 🙂|.|\n|####| |115|<eos>";

export function sampleSpike(token: string, position: number, kl: number): SpikeFigures {
  return {
    handle: `q12.t${position}`,
    text: "probe-12",
    problem: "test/algebra/661.json",
    position,
    region: "mid",
    token,
    category: "number",
    kl,
    zscore: 8.13,
    probability: 0.021,
    reference_probability: 0.87,
    before: "He gives away 45, so we need to subtract:\n\t$170 - 45 =",
    after: "5$.\n\nWait, that is not right: 170 − 45 = 115.",
    alternatives: [
      { token: "11", token_id: 806, probability: 0.955 },
      { token, token_id: 717, probability: 0.021 },
    ],
    reference_alternatives: [
      { token, token_id: 717, probability: 0.87 },
      { token: "11", token_id: 806, probability: 0.09 },
      { token: "\n", token_id: 198, probability: 1.2e-4 },
    ],
    depends_on: [
      { position: 40, token: " =", gradient_times_input: 0.412, share: 0.318 },
      { position: -3, token: "55", gradient_times_input: -0.201, share: 0.155 },
    ],
    since: "rlvr_step_300",
  };
}

/** Numbers that look random but are the same every time. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function makeCase(tokens: readonly string[], checkpoints: readonly string[], seed: number): CaseStudy {
  const random = noise(seed);
  const from = tokens.indexOf("<out>");
  const to = tokens.indexOf("</out>");
  const mask = tokens.map((_, at) => (from >= 0 && at >= from && at <= to ? 0 : 1));
  const weights = tokens.map(() => random() ** 9 * 0.5 + 1e-8);
  const spikes = tokens
    .map((token, position) => ({ token, position }))
    .filter(({ token }) => token === "12" || token === "Wait" || token === " right");
  for (const { position } of spikes) weights[position] = 1.5 + random();
  const kl = checkpoints.map((_, row) =>
    weights.map((weight, at) => {
      if (row === 1 && at % 41 === 40) return null;
      return mask[at] === 0 ? 5e-3 : weight * (0.2 + (0.8 * (row + 1)) / checkpoints.length);
    }),
  );
  return {
    handle: "q12",
    text: "probe-12",
    problem: "test/algebra/661.json",
    reason: "most KL at one token",
    source: "dpo",
    correct: false,
    subject: "algebra",
    level: 3,
    prompt_text: "There are 2 boxes with 85 apples each. He gives away 55. How many are left?",
    tokens,
    mask,
    categories: tokens.map((token) => (/\d/.test(token) ? "number" : "other")),
    checkpoints,
    kl,
    delta: kl.map((row) => row.map((value) => (value === null ? null : -value * 1.4))),
    spikes: spikes.map(({ token, position }) => sampleSpike(token, position, kl.at(-1)![position] ?? 0)),
    error_token: tokens.indexOf("12") < 0 ? null : tokens.indexOf("12"),
    continuations: [
      {
        policy: "dpo",
        place: "after_error",
        position: 48,
        samples: 4,
        right: 0,
        unanswered: 1,
        response: "5$. #### 125",
      },
      {
        policy: "rlvr_step_1000",
        place: "after_error",
        position: 48,
        samples: 4,
        right: 3,
        unanswered: 0,
        response: "5$. Wait, 170 - 55 = 115. #### 115",
      },
    ],
  };
}

export function sampleCases(checkpoints: readonly string[]): CaseStudy[] {
  const short = SHORT.split("|");
  const words = "the sum of these is therefore less than x when we add it up and so on".split(" ");
  const long = Array.from({ length: 2400 }, (_, at) =>
    at === 1500 ? "Wait" : at % 40 === 39 ? "\n" : ` ${words[(at * 7) % words.length]}`,
  );
  return [
    makeCase(short, checkpoints, 7),
    { ...makeCase(long, checkpoints, 11), handle: "q31", correct: null, reason: "most spikes" },
  ];
}
