import type { Diagnosis, DoctorCause, Evidence, Fix } from "../../results/diagnosis.ts";

/** A cause of which nothing is known beside what is given. */
export function makeCause(
  id: string,
  probability: number,
  { evidence = [], fix = [], ...more }: Partial<DoctorCause> = {},
): DoctorCause {
  return {
    id,
    family: "weights",
    title: `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll("_", " ")}`,
    description: `what ${id} is`,
    probability,
    explains: 0.9,
    coexists: false,
    evidence,
    handles: [],
    fix,
    ...more,
  };
}

/** A fact of its own. */
export function fact(weight: number, sentence: string, more: Partial<Evidence> = {}): Evidence {
  return { sentence, weight, figures: {}, ...more };
}

/** A figure that is held against what a cause predicts. */
export function measure(
  weight: number,
  label: string,
  [value, expected]: readonly [string, string],
): Evidence {
  return {
    sentence: `${label} is ${value}`,
    weight,
    figures: {},
    profile: { name: label, label, value, expected },
  };
}

export function makeFix(line: string, trainer: string | null = null): Fix {
  return { trainer, line, is_code: true, note: `what ${line} does` };
}

export function makeDiagnosis(verdict: Diagnosis["verdict"], more: Partial<Diagnosis> = {}): Diagnosis {
  return {
    verdict,
    sentence: `the doctor says ${verdict}`,
    causes: [],
    alike: null,
    guilty_leg: null,
    own_errors: null,
    legs: [],
    weights: null,
    next_experiment: null,
    untested: [],
    metrics: {},
    excluded: {},
    ...more,
  };
}
