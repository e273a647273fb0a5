// Runs a child process as if it were this one: its terminal, its signals, its exit code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { root } from './root.mjs';

const FORWARDED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

const PARENT_WATCH_MS = 500;
const parent = process.ppid;

// Reads the descriptor, because accessing process.stdin would make the child's pipe non-blocking.
const STDIN = 0;

const STOP_SIGNALS = new Set(['SIGTERM', 'SIGINT']);

// Ctrl-C and Ctrl-\ reach every process of the terminal's foreground group, so the child already gets them. A server that
// gets the same signal twice stops without draining.
const TERMINAL_SIGNALS = new Set(['SIGINT', 'SIGQUIT']);

/**
 * Returns the exit code, 128 + n for a child ended by signal n. With `onOutput`, the child's output goes there and not to
 * the terminal.
 */
export function runChild(command, args, { env = process.env, cwd = root, onOutput } = {}) {
  const stdio = onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  // Before the child starts: a signal in between would end this process and leave the child running.
  const stopRelaying = relaySignals((signal) => child.kill(signal));
  const child = spawn(command, args, { cwd, env, stdio });
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);

  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  }).finally(stopRelaying);
}

function relaySignals(send) {
  let toldToStop = false;
  const forward = (signal) => {
    if (STOP_SIGNALS.has(signal)) toldToStop = true;
    const delivered = TERMINAL_SIGNALS.has(signal) && isatty(STDIN);
    if (!delivered) send(signal);
  };
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  const stopWatching = whenNpmIsGone(() => {
    if (!toldToStop) send('SIGTERM');
  });
  return () => {
    stopWatching();
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  };
}

/**
 * npm starts this script through a shell, and neither forwards every signal it dies of; the child must not keep running.
 * Only under npm: a person may close the shell that started this script.
 */
function whenNpmIsGone(act) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, PARENT_WATCH_MS);
  return () => clearInterval(watch);
}
