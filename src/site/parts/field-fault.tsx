/** @jsxImportSource hono/jsx */
// What is wrong with a field, beside the field: it is marked, it tells why, and whoever sent it is led there, without a
// script too.

/** For the input; nothing where nothing is wrong. Of several fields one has the focus. */
export function faultMarks(id: string, text: string | undefined, hasFocus = true) {
  if (text === undefined) return {};
  return { 'aria-invalid': 'true' as const, 'aria-describedby': id, ...(hasFocus ? { autofocus: true } : {}) };
}

export function FieldFault({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="bad" id={id}>
      {text}
    </p>
  );
}
