/** @jsxImportSource hono/jsx */
// One field of a form: its name, its help, its control, and what is wrong with what was typed.

import type { Child } from 'hono/jsx';
import { FieldFault } from './field-fault.tsx';

export interface FieldProps {
  name: string;
  label: string;
  help?: string | undefined;
  fault?: string | undefined;
  children?: Child;
}

/** The control within has the name as its id, and marks its fault by `faultMarks(faultId(name), fault)`. */
export function Field({ name, label, help, fault, children }: FieldProps) {
  return (
    <div class="field">
      <label for={name}>
        {label}
        {help ? <span class="faint"> {help}</span> : null}
      </label>
      {children}
      <FieldFault id={faultId(name)} text={fault} />
    </div>
  );
}

export function faultId(name: string): string {
  return `${name}-fault`;
}
