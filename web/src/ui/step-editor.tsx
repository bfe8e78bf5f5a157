import {
  type Bounds,
  LEVELS,
  type Reject,
  STATISTICS,
  type Step,
  type Truncate,
  type Veto,
} from "../../../src/trainers/neutral/index.ts";
import { usualBounds, withBounds, withStatistic } from "../state/correction.ts";

export const TOKEN_RATIO = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
const SIGNS = ["any", "positive", "negative", "not positive"] as const;
const DIVISORS = ["token", "sequence", "every sequence"] as const;

interface StepProps<S extends Step> {
  readonly step: S;
  /** Returns false if the step would make the correction invalid. */
  readonly onChange: (step: Step) => boolean;
}

/** One step of a correction as a sentence with blanks to fill in. */
export function StepEditor({ step, weighted, onChange }: StepProps<Step> & { readonly weighted: boolean }) {
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

/** A step that masks or zeroes tokens, or vetoes a sequence, if a statistic is outside its bounds. */
function MeasuredEditor({
  step,
  weighted,
  onChange,
}: StepProps<Reject | Veto> & { readonly weighted: boolean }) {
  return (
    <>
      {step.action === "veto" ? (
        <b>veto</b>
      ) : (
        <Pick
          label="action"
          value={step.action}
          names={["mask", "zero"]}
          onPick={(action) => onChange({ ...step, action })}
        />
      )}{" "}
      where <MeasurePicks step={step} weighted={weighted} onChange={onChange} />
      is outside <BoundInputs step={step} onChange={onChange} />
      {step.action !== "veto" && <SignPick step={step} onChange={onChange} />}
    </>
  );
}

/** What is measured: a statistic and its level; a veto has no level, as it is about tokens. */
function MeasurePicks({
  step,
  weighted,
  onChange,
}: StepProps<Reject | Veto> & { readonly weighted: boolean }) {
  const { measure } = step;
  const isVeto = step.action === "veto";
  const of = measure === "weight" ? undefined : measure;
  // Bounds of one statistic mean nothing for another.
  const remeasure = (next: Reject["measure"]): boolean =>
    onChange({ ...withBounds(step, usualBounds(next)), measure: next } as Step);
  return (
    <>
      <Pick
        label="statistic"
        value={of?.statistic ?? "weight"}
        names={weighted && !isVeto ? ["weight", ...STATISTICS] : STATISTICS}
        onPick={(name) => remeasure(name === "weight" ? name : withStatistic(of ?? TOKEN_RATIO, name))}
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
    </>
  );
}

/** The sign that the advantage must have. */
function SignPick({ step, onChange }: StepProps<Reject>) {
  return (
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

/** A bound that is left empty does not apply. */
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
