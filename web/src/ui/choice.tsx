import type { ComponentChildren } from "preact";

/** One of a few, as a row of radio buttons that look like one control. */
export function Choice<Name extends string>({
  label,
  name,
  options,
  value,
  onChange,
}: {
  readonly label: ComponentChildren;
  /** Name of the group of radio buttons, unique on the page. */
  readonly name: string;
  readonly options: readonly { readonly name: Name; readonly title: string; readonly hint?: string }[];
  readonly value: Name;
  readonly onChange: (name: Name) => void;
}) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.name} title={option.hint}>
          <input
            type="radio"
            name={name}
            checked={option.name === value}
            onChange={() => onChange(option.name)}
          />
          <span>{option.title}</span>
        </label>
      ))}
    </fieldset>
  );
}
