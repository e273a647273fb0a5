/** @jsxImportSource hono/jsx */
// One field of a form, with its name, its help and what is wrong with what was typed.

import type { Child } from 'hono/jsx';
import { faultMarks } from '../../parts/field-fault.tsx';

interface FieldProps {
  name: string;
  label: string;
  help?: string | undefined;
  fault?: string | undefined;
  children?: Child;
}

/** The control within names itself by `name`, and its fault by `marksOf(name, fault)`. */
export function Field({ name, label, help, fault, children }: FieldProps) {
  return (
    <div class="field">
      <label for={name}>
        {label} {help ? <span class="faint">{help}</span> : null}
      </label>
      {children}
      {fault ? (
        <p class="bad" id={faultId(name)}>
          {fault}
        </p>
      ) : null}
    </div>
  );
}

function faultId(name: string): string {
  return `${name}-fault`;
}

/** For the control of a field; nothing where nothing is wrong. */
export function marksOf(name: string, fault: string | undefined) {
  return faultMarks(faultId(name), fault, false);
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  value?: string | undefined;
  type?: 'text' | 'date' | 'number' | 'password' | 'search' | 'datetime-local';
  isRequired?: boolean;
  maxLength?: number;
  /** A figure: it is typed with digits, decimals and nothing else. */
  isFigure?: boolean;
  placeholder?: string;
}

export function TextField(props: TextFieldProps) {
  const { name, label, help, fault, value, type = 'text', isRequired, maxLength, isFigure, placeholder } = props;
  return (
    <Field name={name} label={label} help={help} fault={fault}>
      <input
        id={name}
        name={name}
        type={type}
        value={value ?? ''}
        required={isRequired ?? false}
        autocomplete="off"
        {...(maxLength === undefined ? {} : { maxlength: maxLength })}
        {...(isFigure ? { inputmode: 'decimal' as const } : {})}
        {...(placeholder === undefined ? {} : { placeholder })}
        {...marksOf(name, fault)}
      />
    </Field>
  );
}
