import { useState } from "preact/hooks";
import {
  type Correction,
  formatCorrection,
  parseCorrection,
  type Step,
  validateCorrection,
} from "../../../src/trainers/neutral/index.ts";
import { withStep } from "../state/correction.ts";
import { Choice } from "./choice.tsx";
import { StepEditor, TOKEN_RATIO } from "./step-editor.tsx";
import "./correction-editor.css";

const WEIGHTS = [
  { name: "none", title: "None" },
  { name: "token", title: "Token" },
  { name: "turn", title: "Turn" },
  { name: "sequence", title: "Sequence" },
] as const;
const AGGREGATIONS = [
  { name: "sum", title: "Product" },
  { name: "mean", title: "Geometric mean" },
] as const;

/** What a new step starts as. Steps on weights need weights. */
const NEW_STEPS: Readonly<Record<Step["action"], Step>> = {
  truncate: { action: "truncate", upper: 2 },
  mask: { action: "mask", measure: TOKEN_RATIO, lower: 0.5, upper: 2 },
  zero: { action: "zero", measure: TOKEN_RATIO, lower: 0.5, upper: 2 },
  veto: { action: "veto", measure: TOKEN_RATIO, lower: 1e-4 },
  normalize: { action: "normalize", over: "token" },
};
const ACTIONS = Object.keys(NEW_STEPS) as Step["action"][];

export interface EditorProps {
  readonly correction: Correction;
  readonly onChange: (correction: Correction) => void;
}

/** Edits a whole correction: its weight, its steps in order, and everything as text. */
export function CorrectionEditor({ correction, onChange }: EditorProps) {
  const [problem, tell] = useState("");
  const change = (make: () => Correction): boolean => {
    try {
      const next = make();
      validateCorrection(next);
      tell("");
      onChange(next);
      return true;
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return (
    <div class="correction-editor">
      <WeightPickers correction={correction} change={change} />
      <Steps correction={correction} change={change} />
      <CorrectionText correction={correction} change={change} />
      {problem && (
        <p class="failed" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface PartProps {
  readonly correction: Correction;
  /** Accepts a correction if it is valid; otherwise the problem is shown below. */
  readonly change: (make: () => Correction) => boolean;
}

function WeightPickers({ correction: { weight, steps }, change }: PartProps) {
  return (
    <div class="pickers">
      <Choice
        label="Weights"
        name="level"
        value={weight?.level ?? "none"}
        options={WEIGHTS}
        onChange={(level) =>
          change(() =>
            level === "none"
              ? { steps: steps.filter((step) => !isOfWeight(step)) }
              : { weight: { aggregation: "sum", ...weight, level }, steps },
          )
        }
      />
      {weight !== undefined && weight.level !== "token" && (
        <Choice
          label="of its ratios"
          name="aggregation"
          value={weight.aggregation}
          options={AGGREGATIONS}
          onChange={(aggregation) => change(() => ({ weight: { ...weight, aggregation }, steps }))}
        />
      )}
    </div>
  );
}

function Steps({ correction, change }: PartProps) {
  const { weight, steps } = correction;
  return (
    <>
      {steps.length > 0 && (
        <ol class="correction-steps">
          {steps.map((step, at) => (
            // A step has no identity other than its place.
            <li key={at}>
              <StepEditor
                step={step}
                weighted={weight !== undefined}
                onChange={(next) => change(() => withStep(correction, at, next))}
              />
              <button
                type="button"
                aria-label={`remove step ${at + 1}`}
                onClick={() => change(() => ({ ...correction, steps: steps.filter((_, i) => i !== at) }))}
              >
                ×
              </button>
            </li>
          ))}
        </ol>
      )}
      <p class="add-steps">
        add{" "}
        {ACTIONS.map((action) => (
          <button
            key={action}
            type="button"
            disabled={weight === undefined && (action === "truncate" || action === "normalize")}
            onClick={() => change(() => ({ ...correction, steps: [...steps, NEW_STEPS[action]] }))}
          >
            {action}
          </button>
        ))}
      </p>
    </>
  );
}

function CorrectionText({ correction, change }: PartProps) {
  const text = formatCorrection(correction);
  return (
    <label class="correction-text">
      as text{" "}
      <input
        // Text that was not understood is cleared when the correction changes.
        key={text}
        type="text"
        spellcheck={false}
        defaultValue={text}
        onChange={(event) => change(() => parseCorrection(event.currentTarget.value))}
      />
    </label>
  );
}

function isOfWeight(step: Step): boolean {
  return (
    step.action === "truncate" ||
    step.action === "normalize" ||
    ("measure" in step && step.measure === "weight")
  );
}
