// Whether a finish reason is set, in any dialect. Some upstreams send an empty reason with every event, which does not end
// the answer.

export function isFinish(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '';
}
