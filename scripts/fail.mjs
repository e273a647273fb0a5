// How a script gives up: one line a person can act on, and an exit code.

/** Thrown where a script cannot go on; the message is all that the person sees. */
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
