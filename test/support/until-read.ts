// Whether the other end of a connection on this machine has read what was sent: a reset throws away what it has not. Only
// Linux tells; elsewhere it counts as read. A gateway in this process has also been handed it: its thread that reads hands
// over in order, and a call that nobody takes has gone that way behind it.

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { unreadBytes } from './socket-diag.ts';

const POLL_MS = 5;
const WITHIN_MS = 30_000;
/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:1';

export async function untilRead({ localPort, remotePort }: Socket): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  while (isUnread(remotePort, localPort) && performance.now() < until) await Bun.sleep(POLL_MS);
  await untilHandedOver();
}

/** The thread that makes the calls of `fetch` in this process has done what it was told before. */
export async function untilHandedOver(): Promise<void> {
  await fetch(NOBODY).catch(() => {});
}

/** Of the socket on one port that is connected to the other. */
function isUnread(port = 0, peer = 0): boolean {
  return (unreadBytes(port, peer) ?? listedUnread(port, peer)) > 0;
}

/** Where the kernel is not to be asked for one connection. */
function listedUnread(port: number, peer: number): number {
  const address = (of: number) => `0100007F:${of.toString(16).toUpperCase().padStart(4, '0')}`;
  const text = connections();
  const start = text.indexOf(` ${address(port)} ${address(peer)} `);
  if (start < 0) return 0;
  const [, , , , queues = ''] = text.slice(start, text.indexOf('\n', start)).split(' ');
  return Number.parseInt(queues.split(':')[1] ?? '', 16);
}

function connections(): string {
  try {
    return readFileSync('/proc/net/tcp', 'latin1');
  } catch {
    return '';
  }
}
