/** @jsxImportSource hono/jsx */
// What is wrong with a text that was sent, by its place.

interface FaultListProps {
  title: string;
  text?: string;
  faults: readonly { path: string; message: string }[];
}

export function FaultList({ title, text, faults }: FaultListProps) {
  if (faults.length === 0) return null;
  return (
    <div class="notice is-bad" role="alert" id="faults">
      <h2>{title}</h2>
      {text ? <p>{text}</p> : null}
      <ul class="faults">
        {faults.map(({ path, message }) => (
          <li>
            <code>{path || '–'}</code>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
