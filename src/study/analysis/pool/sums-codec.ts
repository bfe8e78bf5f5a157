/**
 * Encodes what is kept of a study.
 *
 * @module
 */
import {
  type Codec,
  FLAG,
  FLOAT,
  FLOATS,
  fieldsOf,
  listOf,
  mapOf,
  NAME,
  nullable,
  oneOf,
  optional,
  recordOf,
  SIGNED,
  TEXT,
  WHOLE,
} from "../../../core/base/index.ts";
import type { PolicyRole, Region } from "../../results/names.ts";
import type { KlPolicy } from "../../results/report.ts";
import type { CaseContinuation, KlAlternative, SpikeDependence } from "../../results/texts.ts";
import { HeadSums } from "../attention/head-sums.ts";
import type { TextAttention } from "../attention/text-attention.ts";
import type { ErrorSpan } from "../error-span.ts";
import type { TextGradients } from "../gradients/text-gradients.ts";
import type {
  CaseText,
  CategorySums,
  TextContinuation,
  TextSpike,
  TextSummary,
  TextUnderCheckpoints,
  TokenSums,
} from "../summary.ts";
import type { ExcludedMass, KeptText, StudyCheckpoint, StudySums, SummarizedPair } from "./study-sums.ts";

/** Approximate bytes that these take once decoded: more than when written. */
const HELD = { summary: 1500, token: 150, text: 300 } as const;

const ROLE = oneOf<PolicyRole>("reference", "baseline", "checkpoint");
const REGION = oneOf<Region>("early", "mid", "late");
const BY_REGION = recordOf<Record<Region, number>>({ early: FLOAT, mid: FLOAT, late: FLOAT });
const SPAN = recordOf<ErrorSpan>({ from: WHOLE, token: WHOLE });

const POLICY = recordOf<KlPolicy>({
  role: ROLE,
  step: nullable(FLOAT),
  stage: nullable(NAME),
  backend: NAME,
  location: NAME,
  model: nullable(NAME),
  logprobs: oneOf("raw", "processed"),
  temperature: FLOAT,
  notes: listOf(NAME),
});

const ALTERNATIVE = recordOf<KlAlternative>({ token: NAME, token_id: SIGNED, probability: FLOAT });

const SPIKE = recordOf<TextSpike>({
  position: WHOLE,
  token: NAME,
  tokenId: SIGNED,
  value: FLOAT,
  zscore: FLOAT,
  region: REGION,
  category: NAME,
  alternatives: listOf(ALTERNATIVE),
  referenceAlternatives: listOf(ALTERNATIVE),
  probability: FLOAT,
  referenceProbability: FLOAT,
  dependsOn: optional(
    listOf(
      recordOf<SpikeDependence>({
        position: SIGNED,
        token: NAME,
        gradient_times_input: FLOAT,
        share: FLOAT,
      }),
    ),
  ),
});

const CATEGORY = recordOf<CategorySums>({
  count: WHOLE,
  sum: FLOAT,
  sumOfSquares: FLOAT,
  max: FLOAT,
  min: FLOAT,
  spikes: WHOLE,
});

const TOKEN = spending(
  HELD.token,
  recordOf<TokenSums>({ category: NAME, count: WHOLE, spikes: WHOLE, klSum: FLOAT, deltaSum: FLOAT }),
);

const ATTENTION = recordOf<TextAttention>({
  tokens: WHOLE,
  toError: FLOAT,
  referenceToError: FLOAT,
  toControl: FLOAT,
  referenceToControl: FLOAT,
  kl: FLOAT,
  klWithoutError: FLOAT,
  klWithoutControl: FLOAT,
});

const GRADIENTS = recordOf<TextGradients>({
  spikes: WHOLE,
  toError: FLOAT,
  toControl: FLOAT,
  even: FLOAT,
  atError: FLOAT,
});

const CONTINUATION = recordOf<TextContinuation>({
  place: NAME,
  share: FLOAT,
  samples: WHOLE,
  right: WHOLE,
  unanswered: WHOLE,
  reference: optional(recordOf<NonNullable<TextContinuation["reference"]>>({ samples: WHOLE, right: WHOLE })),
});

const SUMMARY = spending(
  HELD.summary,
  recordOf<TextSummary>({
    index: WHOLE,
    text: NAME,
    problem: NAME,
    tokens: WHOLE,
    infiniteKl: optional(WHOLE),
    infiniteReverseKl: optional(WHOLE),
    nanKl: optional(WHOLE),
    exact: FLAG,
    meanKl: FLOAT,
    maxKl: FLOAT,
    meanReverseKl: FLOAT,
    meanJs: FLOAT,
    meanTotalVariation: FLOAT,
    meanKlLower: FLOAT,
    meanKlUpper: FLOAT,
    upperInfinite: WHOLE,
    meanEntropy: FLOAT,
    meanReferenceEntropy: FLOAT,
    entropyByRegion: BY_REGION,
    meanDelta: FLOAT,
    argmaxChanged: WHOLE,
    argmaxKnown: WHOLE,
    spikes: listOf(SPIKE),
    spikesShuffled: FLOAT,
    spikeDensity: BY_REGION,
    categories: fieldsOf(CATEGORY),
    byToken: mapOf(TOKEN),
    goodKl: FLOAT,
    badKl: FLOAT,
    error: optional(SPAN),
    errorKl: optional(
      recordOf<NonNullable<TextSummary["errorKl"]>>({
        sum: FLOAT,
        tokens: WHOLE,
      }),
    ),
    attention: optional(ATTENTION),
    gradients: optional(GRADIENTS),
    continuations: optional(listOf(CONTINUATION)),
    rlProbe: nullable(
      recordOf<NonNullable<TextSummary["rlProbe"]>>({
        meanKl: FLOAT,
        spikePositions: listOf(SIGNED),
        spikes: WHOLE,
      }),
    ),
  }),
);

const EXCLUDED = recordOf<ExcludedMass>({ p: FLOAT, q: FLOAT });

const HEADS: Codec<HeadSums> = {
  text: "heads",
  write: (heads, to) => heads.encode(to),
  read: (from) => HeadSums.decode(from),
};

const CHECKPOINT = recordOf<StudyCheckpoint>({
  name: NAME,
  role: ROLE,
  step: nullable(FLOAT),
  stage: nullable(NAME),
  texts: listOf(SUMMARY),
  heads: optional(HEADS),
  outcomes: mapOf(FLAG),
  excluded: EXCLUDED,
});

const PAIR = recordOf<SummarizedPair>({ p: NAME, q: NAME, texts: listOf(SUMMARY), excluded: EXCLUDED });

const KEPT_TEXT = spending(
  HELD.text,
  recordOf<KeptText>({
    id: NAME,
    problem: NAME,
    source: optional(NAME),
    correct: optional(FLAG),
    level: optional(FLOAT),
    otherResults: listOf(recordOf<ErrorSpan>({ from: SIGNED, token: SIGNED })),
    prompt: WHOLE,
  }),
);

const MASK: Codec<Uint8Array> = {
  text: "bits",
  write(mask, to) {
    to.whole(mask.length);
    to.bits(mask);
  },
  read(from) {
    const length = from.whole();
    if (length > 8 * from.rest) from.fail(`${length} tokens are declared, ${from.rest} bytes are left`);
    return from.bits(length);
  },
};

const CASE_TEXT = recordOf<CaseText>({
  id: NAME,
  problem: NAME,
  source: optional(NAME),
  correct: optional(FLAG),
  subject: optional(NAME),
  level: optional(FLOAT),
  promptText: optional(TEXT),
  tokens: listOf(NAME),
  mask: MASK,
});

const LOOKED = recordOf<TextUnderCheckpoints>({
  text: CASE_TEXT,
  index: WHOLE,
  kl: mapOf(FLOATS),
  delta: mapOf(FLOATS),
  continuations: optional(
    listOf(
      recordOf<CaseContinuation>({
        policy: NAME,
        place: NAME,
        position: WHOLE,
        samples: WHOLE,
        right: WHOLE,
        unanswered: WHOLE,
        response: TEXT,
      }),
    ),
  ),
});

const STUDY = recordOf<StudySums>({
  study: NAME,
  reference: NAME,
  policies: mapOf(POLICY),
  vocabularySize: nullable(WHOLE),
  maskedOutTokens: WHOLE,
  texts: listOf(KEPT_TEXT),
  checkpoints: listOf(CHECKPOINT),
  pairs: listOf(PAIR),
  looked: listOf(LOOKED),
});

function spending<T>(bytes: number, of: Codec<T>): Codec<T> {
  return {
    ...of,
    read(from) {
      from.spend(bytes);
      return of.read(from);
    },
  };
}

export const STUDY_SUMS: Codec<StudySums> = {
  ...STUDY,
  read(from) {
    const study = STUDY.read(from);
    const summaries = [...study.checkpoints, ...study.pairs].flatMap(({ texts }) => texts);
    for (const { index } of [...summaries, ...study.looked])
      if (index >= study.texts.length) from.fail(`text ${index} of ${study.texts.length} is declared`);
    return study;
  },
};
