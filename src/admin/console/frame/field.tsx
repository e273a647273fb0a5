/** @jsxImportSource hono/jsx */
// Fields of the console's forms.

import { Field, type FieldProps, faultId } from '../../../site/parts/field.tsx';
import { faultMarks } from '../../../site/parts/field-fault.tsx';

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
