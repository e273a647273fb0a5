// A refusal as the protocol's `error` event: the status and the body that POST would have got.

interface Refusal {
  status: number;
  /** Those that a client can use. */
  headers: Readonly<Record<string, string>>;
  svc: Readonly<Record<string, string>>;
  /** An object as JSON. */
  body: string;
  streamId: string | undefined;
}

export function writeErrorMessage({ status, headers, svc, body, streamId }: Refusal): string {
  const own = { type: 'error', status, ...(streamId === undefined ? {} : { stream_id: streamId }), svc, headers };
  return `${JSON.stringify(own).slice(0, -1)},${body.slice(1)}`;
}
