// Ends a script with one line that a person can act on, and an exit code.

/** Thrown when a script cannot continue; the person sees only the message. */
export class ScriptFailure extends Error {
  exitCode;

  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function fail(message, exitCode = 1) {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}
