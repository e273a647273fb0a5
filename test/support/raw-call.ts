// One HTTP request as bytes of the test's own, for framing that no client library would send.

import { connect } from 'node:net';
import type { Answer } from './answer.ts';

export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  json: Answer;
}

const WITHIN_MS = 60_000;

/** Resolves when the server has closed the connection or sent what it declared. Once connected it waits for `start`. */
export function rawCall(
  port: number,
  request: string,
  withinMs = WITHIN_MS,
  start: () => Promise<void> = async () => {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let received = '';
    const socket = connect(port, '127.0.0.1', () => void start().then(() => socket.write(request)));
    const timer = setTimeout(() => socket.destroy(new Error(`no answer to ${request.slice(0, 60)}`)), withinMs);
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(readRaw(received));
    };
    socket.on('data', (bytes: Buffer) => {
      received += decoder.decode(bytes, { stream: true });
      const { headers, body } = splitRaw(received);
      if (headers['content-length'] !== undefined && Buffer.byteLength(body) >= Number(headers['content-length'])) {
        finish();
      }
    });
    socket.on('end', finish);
    socket.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

export function readRaw(text: string): RawAnswer {
  const { status, headers, body } = splitRaw(text);
  return { status, headers, json: body === '' ? undefined : JSON.parse(body) };
}

export function splitRaw(text: string) {
  const headEnd = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, Math.max(0, headEnd)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: headEnd < 0 ? '' : text.slice(headEnd + 4) };
}
