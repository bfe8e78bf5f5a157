import { useState } from "preact/hooks";
import type { ShippedCorrection } from "../../../src/results/index.ts";
import {
  type Bounds,
  type Correction,
  formatCorrection,
  LEVELS,
  parseCorrection,
  type Reject,
  STATISTICS,
  type Step,
  type Truncate,
  type Veto,
  validateCorrection,
} from "../../../src/trainers/neutral/index.ts";
import { usualBounds, withBounds, withStep } from "../state/correction.ts";
import { Choice } from "./choice.tsx";
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

const TOKEN_RATIO = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
/** What a step begins as. Those on weights need some. */
const NEW_STEPS: Readonly<Record<Step["action"], Step>> = {
  truncate: { action: "truncate", upper: 2 },
  mask: { action: "mask", measure: TOKEN_RATIO, lower: 0.5, upper: 2 },
  zero: { action: "zero", measure: TOKEN_RATIO, lower: 0.5, upper: 2 },
  veto: { action: "veto", measure: TOKEN_RATIO, lower: 1e-4 },
  normalize: { action: "normalize", over: "token" },
};
const ACTIONS = Object.keys(NEW_STEPS) as Step["action"][];
const SIGNS = ["any", "positive", "negative", "not positive"] as const;
const DIVISORS = ["token", "sequence", "every sequence"] as const;
export interface EditorProps {
  readonly correction: Correction;
  readonly onChange: (correction: Correction) => void;
}

/** Everything that a correction can say: its weight, its steps in their order, and all of it as text. */
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
  const { weight, steps } = correction;
  const text = formatCorrection(correction);
  return (
    <div class="correction-editor">
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
      {steps.length > 0 && (
        <ol class="correction-steps">
          {steps.map((step, at) => (
            // A step has no name of its own: its place is what it is.
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
      <label class="correction-text">
        as text{" "}
        <input
          // What is typed and not understood goes when the correction changes.
          key={text}
          type="text"
          spellcheck={false}
          defaultValue={text}
          onChange={(event) => change(() => parseCorrection(event.currentTarget.value))}
        />
      </label>
      {problem && (
        <p class="failed" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function isOfWeight(step: Step): boolean {
  return (
    step.action === "truncate" ||
    step.action === "normalize" ||
    ("measure" in step && step.measure === "weight")
  );
}

interface StepProps<S extends Step> {
  readonly step: S;
  readonly onChange: (step: Step) => boolean;
}

function StepEditor({ step, weighted, onChange }: StepProps<Step> & { readonly weighted: boolean }) {
  const { action } = step;
  if (action === "truncate")
    return (
      <>
        <b>truncate</b> <BoundInputs step={step} onChange={onChange} />
      </>
    );
  if (action === "normalize")
    return (
      <>
        <b>normalize</b> over{" "}
        <Pick
          label="over"
          value={step.over}
          names={DIVISORS}
          onPick={(over) => onChange({ ...step, over })}
        />
      </>
    );
  return <MeasuredEditor step={step} weighted={weighted} onChange={onChange} />;
}

function MeasuredEditor({
  step,
  weighted,
  onChange,
}: StepProps<Reject | Veto> & { readonly weighted: boolean }) {
  const { measure } = step;
  const remeasure = (next: Reject["measure"]): boolean =>
    onChange({ ...withBounds(step, usualBounds(next)), measure: next } as Step);
  const of = measure === "weight" ? undefined : measure;
  const isVeto = step.action === "veto";
  return (
    <>
      {isVeto ? (
        <b>veto</b>
      ) : (
        <Pick
          label="action"
          value={step.action}
          names={["mask", "zero"]}
          onPick={(action) => onChange({ ...step, action })}
        />
      )}{" "}
      where{" "}
      <Pick
        label="statistic"
        value={of?.statistic ?? "weight"}
        names={weighted && !isVeto ? ["weight", ...STATISTICS] : STATISTICS}
        onPick={(name) => remeasure(name === "weight" ? name : { ...(of ?? TOKEN_RATIO), statistic: name })}
      />{" "}
      {of && !isVeto && (
        <>
          of{" "}
          <Pick
            label="level"
            value={of.level}
            names={LEVELS}
            onPick={(level) => remeasure({ ...of, level })}
          />{" "}
          {of.level !== "token" && (
            <Pick
              label="aggregation"
              value={of.aggregation}
              names={["sum", "mean", "max"]}
              onPick={(aggregation) => remeasure({ ...of, aggregation })}
            />
          )}{" "}
        </>
      )}
      is outside <BoundInputs step={step} onChange={onChange} />
      {!isVeto && (
        <>
          , advantage{" "}
          <Pick
            label="advantage"
            value={step.when ?? "any"}
            names={SIGNS}
            onPick={(sign) => {
              const { when: _, ...rest } = step;
              onChange(sign === "any" ? rest : { ...rest, when: sign });
            }}
          />
        </>
      )}
    </>
  );
}

function Pick<Name extends string>({
  label,
  value,
  names,
  onPick,
}: {
  readonly label: string;
  readonly value: Name;
  readonly names: readonly Name[];
  readonly onPick: (name: Name) => void;
}) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onPick(event.currentTarget.value as Name)}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** A side that is left empty does not bind. */
function BoundInputs({ step, onChange }: StepProps<Truncate | Reject | Veto>) {
  const input = (side: keyof Bounds, label: string) => (
    <label class="bound">
      {label}{" "}
      <input
        type="text"
        inputMode="decimal"
        placeholder="–"
        value={step[side] ?? ""}
        onChange={(event) => {
          const text = event.currentTarget.value.trim();
          const value = text === "" ? undefined : Number(text.replace("−", "-"));
          if (!onChange(withBounds(step, { lower: step.lower, upper: step.upper, [side]: value })))
            event.currentTarget.value = String(step[side] ?? "");
        }}
      />
    </label>
  );
  return (
    <>
      {input("lower", "from")} {input("upper", "to")}
    </>
  );
}

/** What trainers do as they come, one click each. */
export function ShippedButtons({
  shipped,
  correction,
  onChange,
}: {
  readonly shipped: readonly ShippedCorrection[];
  /** Undefined: none is chosen. */
  readonly correction: Correction | undefined;
  readonly onChange: (correction: Correction) => void;
}) {
  const chosen = correction && formatCorrection(correction);
  return (
    <p class="trainer-buttons">
      <span>What trainers ship:</span>{" "}
      {shipped.map(({ presets, correction: text, words }) => (
        <button
          key={text}
          type="button"
          aria-pressed={text === chosen}
          title={words}
          onClick={() => onChange(parseCorrection(text))}
        >
          {presets.join(", ")}
        </button>
      ))}
    </p>
  );
}
