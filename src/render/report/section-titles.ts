/** Titles that the report and the page's overview share. */
export const SECTION_TITLES = {
  keyFigures: "Key figures",
  failedTests: "Failed identity tests",
  standouts: "What stands out",
  leftOut: "Left out",
  next: "Next",
  correct: "Meanwhile",
  overSteps: "Over the steps",
  spread: "Distribution of Δ",
} as const;
