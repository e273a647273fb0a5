// A bare socket to a port: what is sent is what the test writes, and it is the server that closes it or does not.

import { connect } from 'node:net';

export interface Line {
  /** All that came so far. */
  text(): string;
  isClosed(): boolean;
  /** Fulfilled when it has left. */
  write(bytes: string | Uint8Array): Promise<void>;
  hangUp(): void;
}

export function dial(port: number): Promise<Line> {
  let text = '';
  let closed = false;
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (bytes) => (text += bytes.toString()));
  socket.on('close', () => (closed = true));
  socket.on('error', () => socket.destroy());
  return new Promise((resolve) =>
    socket.on('connect', () =>
      resolve({
        text: () => text,
        isClosed: () => closed,
        write: (bytes) => new Promise((left) => socket.write(bytes, () => left())),
        hangUp: () => void socket.destroy(),
      }),
    ),
  );
}

/** Byte by byte, until all is written or the line is closed. */
export async function trickle(line: Line, text: string): Promise<void> {
  for (const byte of text) {
    if (line.isClosed()) return;
    line.write(byte);
    await Bun.sleep(100);
  }
}
