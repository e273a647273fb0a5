// Why an answer ended, in any dialect: some upstreams say an empty reason with every event, and mean that it goes on.

export function isFinish(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== '';
}
