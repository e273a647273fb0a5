// Bytes of the test's own on a socket, and everything that comes back: for requests that no client would send.

import { connect } from 'node:net';

export interface RawAnswers {
  /** Of each answer, in order. */
  statuses: number[];
  text: string;
  /** The server ended the connection. */
  isClosed: boolean;
}

const QUIET_MS = 150;
const WITHIN_MS = 30_000;

/** Resolves when the server closes; with `answers`, for a connection that is kept, also when it is silent after so many. */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  answers = Number.POSITIVE_INFINITY,
): Promise<RawAnswers> {
  return new Promise((resolve) => {
    let text = '';
    let timer: Timer;
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = (isClosed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ statuses: statuses(), text, isClosed });
    };
    timer = setTimeout(() => finish(false), WITHIN_MS);
    socket.on('data', (received) => {
      text += received.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), statuses().length >= answers ? QUIET_MS : WITHIN_MS);
    });
    socket.on('end', () => finish(true));
    socket.on('error', () => finish(true));
  });
}

/** One request without a body; the connection ends with its answer. */
export function rawGet(target: string, headers = 'host: x\r\n', method = 'GET'): string {
  return `${method} ${target} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`;
}
