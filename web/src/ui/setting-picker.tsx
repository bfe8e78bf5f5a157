import {
  atLevel,
  type Bound,
  boundsOf,
  boundText,
  type Level,
  type Method,
  type Setting,
  USUAL_VETO,
  withBound,
} from "../state/setting.ts";
import { OFF_BY_DEFAULT, TRAINER_DEFAULTS } from "../state/trainer-defaults.ts";
import { Choice } from "./choice.tsx";
import "./setting-picker.css";

const LEVEL_OPTIONS: readonly { readonly name: Level; readonly title: string; readonly hint: string }[] = [
  { name: "token", title: "Token", hint: "each token's own ratio ρ" },
  { name: "sequence", title: "Sequence", hint: "the product of a sequence's ratios, exp ΣΔ" },
  { name: "geometric", title: "Geometric", hint: "the geometric mean of a sequence's ratios, exp mean Δ" },
];
const METHOD_OPTIONS: readonly { readonly name: Method; readonly title: string; readonly hint: string }[] = [
  { name: "none", title: "None", hint: "every weight is 1, nothing is dropped" },
  { name: "truncate", title: "Truncate (TIS)", hint: "weight = ratio, at most the cap" },
  { name: "mask", title: "Mask (MIS)", hint: "outside the band: out of the mask; inside, weight 1" },
  { name: "both", title: "Both", hint: "weights truncated, and outside the band out of the mask" },
  { name: "icepop", title: "IcePop", hint: "weight = ratio, 0 outside the band; nothing leaves the mask" },
];
export const BOUND_LABELS: Readonly<Record<Bound, string>> = {
  cap: "cap",
  low: "band from",
  high: "band to",
  veto: "veto below",
};

/** Level, method and bounds. `compact` is one line without legends, for a toolbar. */
export function SettingPicker({
  setting,
  compact = false,
  onChange,
}: {
  readonly setting: Setting;
  readonly compact?: boolean;
  readonly onChange: (setting: Setting) => void;
}) {
  return (
    <div class={compact ? "pickers compact" : "pickers"}>
      <Choice
        label="Level"
        name="level"
        value={setting.level}
        options={LEVEL_OPTIONS}
        onChange={(level) => onChange(atLevel(setting, level))}
      />
      <Choice
        label="Method"
        name="method"
        value={setting.method}
        options={METHOD_OPTIONS}
        onChange={(method) => onChange({ ...setting, method })}
      />
      <fieldset class="bounds">
        <legend>Bounds, as ratios</legend>
        {boundsOf(setting)
          .filter((name) => name !== "veto")
          .map((name) => (
            <BoundInput key={name} name={name} setting={setting} onChange={onChange} />
          ))}
        <label>
          <input
            type="checkbox"
            checked={setting.veto !== null}
            onChange={(event) =>
              onChange({ ...setting, veto: event.currentTarget.checked ? USUAL_VETO : null })
            }
          />{" "}
          veto
        </label>
        {setting.veto !== null && <BoundInput name="veto" setting={setting} onChange={onChange} />}
      </fieldset>
    </div>
  );
}

function BoundInput({
  name,
  setting,
  onChange,
}: {
  readonly name: Bound;
  readonly setting: Setting;
  readonly onChange: (setting: Setting) => void;
}) {
  return (
    <label class="bound">
      {BOUND_LABELS[name]}{" "}
      <input
        type="text"
        inputMode="decimal"
        value={boundText(setting[name] ?? 0)}
        onChange={(event) => {
          const text = event.currentTarget.value.trim();
          const value = text === "inf" ? Number.POSITIVE_INFINITY : Number(text);
          if (text !== "" && value >= 0) onChange(withBound(setting, name, value));
          else event.currentTarget.value = boundText(setting[name] ?? 0);
        }}
      />
    </label>
  );
}

/** What trainers do out of the box, one click each. */
export function TrainerButtons({
  setting,
  onChange,
}: {
  /** Undefined: none is chosen. */
  readonly setting: Setting | undefined;
  readonly onChange: (setting: Setting) => void;
}) {
  return (
    <p class="trainer-buttons">
      <span id="trainer-defaults">What trainers ship:</span>{" "}
      {TRAINER_DEFAULTS.map(({ title, setting: own, besides }) => (
        <button
          key={title}
          type="button"
          aria-pressed={setting !== undefined && isSame(own, setting)}
          title={besides === undefined ? undefined : `without what it does besides: ${besides}`}
          onClick={() => onChange(own)}
        >
          {title}
          {besides === undefined ? "" : "*"}
        </button>
      ))}{" "}
      <small>{OFF_BY_DEFAULT.join(", ")}: off until set</small>
    </p>
  );
}

function isSame(a: Setting, b: Setting): boolean {
  const bounds = boundsOf(a);
  return (
    a.level === b.level &&
    a.method === b.method &&
    (a.veto === null) === (b.veto === null) &&
    bounds.every((name) => a[name] === b[name])
  );
}
