/** @jsxImportSource hono/jsx */
// The mark beside the name of the site.

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <path d="M4 3h24a2 2 0 0 1 2 2v22a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Zm3 5v16h3V11h4v13h4V11h4v13h3V8Z" />
    </svg>
  );
}
