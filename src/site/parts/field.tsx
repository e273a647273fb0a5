/** @jsxImportSource hono/jsx */
// The fields of forms: a name, a help text, a control, and the error. A field with an error is marked and gets the focus,
// also without a script.

import type { Child, JSX } from 'hono/jsx';

interface FieldProps {
  name: string;
  label: string;
  help?: string | undefined;
  fault?: string | undefined;
  /** Where several forms of a page have the field. */
  id?: string;
}

export function Field({ name, label, help, fault, id = name, children }: FieldProps & { children?: Child }) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {help ? <span class="faint"> {help}</span> : null}
      </label>
      {children}
      <FieldFault id={`${id}-fault`} text={fault} />
    </div>
  );
}

export function FieldFault({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="bad" id={id}>
      {text}
    </p>
  );
}

/** For the control; nothing where nothing is wrong. Of several fields one has the focus. */
export function faultMarks(id: string, text: string | undefined, hasFocus = true) {
  if (text === undefined) return {};
  return { 'aria-invalid': 'true' as const, 'aria-describedby': id, ...(hasFocus ? { autofocus: true } : {}) };
}

interface ControlProps extends FieldProps {
  /** Whether a fault leads here. */
  hasFocus?: boolean;
}

type TextFieldProps = ControlProps &
  Omit<JSX.IntrinsicElements['input'], keyof ControlProps> & {
    suggestions?: readonly string[];
  };

export function TextField({ name, label, help, fault, id = name, hasFocus, suggestions, ...input }: TextFieldProps) {
  const list = `${id}-choices`;
  return (
    <Field {...{ name, label, help, fault, id }}>
      <input
        id={id}
        name={name}
        type="text"
        autocomplete="off"
        {...faultMarks(`${id}-fault`, fault, hasFocus ?? false)}
        {...(suggestions ? { list } : {})}
        {...input}
      />
      {suggestions ? (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option value={text} />
          ))}
        </datalist>
      ) : null}
    </Field>
  );
}

/** One yes or no. */
export function CheckField(field: ControlProps & { checked: boolean }) {
  const { name, label, help, fault, id = name, hasFocus = false, checked } = field;
  return (
    <div class="field">
      <label>
        <input
          type="checkbox"
          id={id}
          name={name}
          value="1"
          checked={checked}
          {...faultMarks(`${id}-fault`, fault, hasFocus)}
        />{' '}
        {label}
        {help ? <span class="faint"> {help}</span> : null}
      </label>
      <FieldFault id={`${id}-fault`} text={fault} />
    </div>
  );
}

interface CheckListProps extends ControlProps {
  choices: readonly string[];
  chosen: readonly string[];
}

/** Any of several; each that is chosen is sent under the same name. */
export function CheckList({ name, label, help, fault, id = name, hasFocus = false, choices, chosen }: CheckListProps) {
  return (
    <fieldset class="field">
      <legend>
        {label}
        {help ? <span class="faint"> {help}</span> : null}
      </legend>
      <div class="choices">
        {choices.map((choice, index) => (
          <label>
            <input
              type="checkbox"
              name={name}
              value={choice}
              checked={chosen.includes(choice)}
              {...faultMarks(`${id}-fault`, fault, hasFocus && index === 0)}
            />{' '}
            <span class="id">{choice}</span>
          </label>
        ))}
      </div>
      <FieldFault id={`${id}-fault`} text={fault} />
    </fieldset>
  );
}

interface SelectFieldProps extends ControlProps {
  value?: string | null | undefined;
  /** A value that is its own name, or a value with one. */
  choices: readonly (string | readonly [value: string, text: string])[];
  marks?: ReturnType<typeof faultMarks>;
}

export function SelectField({ value, choices, marks, hasFocus = false, ...field }: SelectFieldProps) {
  const { name, id = name, fault } = field;
  return (
    <Field {...field}>
      <select id={id} name={name} {...(marks ?? faultMarks(`${id}-fault`, fault, hasFocus))}>
        {choices.map((choice) => {
          const [one, text] = typeof choice === 'string' ? [choice, choice] : choice;
          return (
            <option value={one} selected={one === value}>
              {text}
            </option>
          );
        })}
      </select>
    </Field>
  );
}

type TextAreaProps = ControlProps & Omit<JSX.IntrinsicElements['textarea'], keyof ControlProps>;

export function TextArea({ name, label, help, fault, hasFocus = false, value = '', ...area }: TextAreaProps) {
  return (
    <Field name={name} label={label} help={help} fault={fault}>
      <textarea id={name} name={name} {...faultMarks(`${name}-fault`, fault, hasFocus)} {...area}>
        {/* A text area swallows the first end of line. */}
        {`\n${value}`}
      </textarea>
    </Field>
  );
}

/** For code and tables: every line as it is. */
export function CodeArea(props: TextAreaProps) {
  return <TextArea class="code" spellcheck={false} wrap="off" {...props} />;
}

export function Hidden({ fields }: { fields: Readonly<Record<string, string | number>> }) {
  return Object.entries(fields).map(([name, value]) => <input type="hidden" name={name} value={String(value)} />);
}
