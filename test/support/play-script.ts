// Plays a script on a socket. A framework could not break off at an exact byte, or lie about a length.

import type { Socket } from 'node:net';
import { bodyLength, bytesOf, type Cut, isBytes, type Part, type Script } from './script.ts';
import { untilRead } from './until-read.ts';

/** Shorter pauses are for cuts by the thousand, where it does not matter. */
const LEAST_SURE_MS = 10;

/** Resolves when the script has ended, or when the caller has left before; never while it stalls. */
export async function playScript(socket: Socket, script: Script): Promise<'played' | 'left'> {
  const { body = [], rest = [], framing = 'sized', cut } = script;
  const closed = new Promise<void>((resolve) => socket.once('close', resolve));
  /** Resolves once the kernel has the bytes, so that parts leave one by one. */
  const write = (bytes: string | Uint8Array) =>
    Promise.race([closed, new Promise<void>((resolve) => socket.write(bytes, () => resolve()))]);
  const breakOff = async ({ by, when }: Cut): Promise<'played' | 'left'> => {
    await Promise.race([closed, when]);
    if (by === 'stall') await closed;
    else if (by === 'fin') socket.end();
    else socket.resetAndDestroy();
    return by === 'stall' ? 'left' : 'played';
  };
  const most = cut && cut.after !== 'head' ? cut.after : Number.POSITIVE_INFINITY;
  if (cut?.after === 'head') return breakOff(cut);
  await write(headOf(script));
  let sent = 0;
  for (const part of inOrder(body, rest)) {
    if (socket.destroyed) return 'left';
    if (!isBytes(part)) {
      await Promise.race([closed, typeof part === 'number' ? Bun.sleep(part) : part]);
      continue;
    }
    const bytes = bytesOf(part);
    const shown = bytes.subarray(0, most - sent);
    const isWhole = shown.byteLength === bytes.byteLength;
    if (framing === 'chunked' && bytes.byteLength > 0) {
      const chunk = [Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), shown, Buffer.from(isWhole ? '\r\n' : '')];
      await write(Buffer.concat(chunk));
    } else await write(shown);
    sent += shown.byteLength;
    if (cut && sent >= most) break;
  }
  if (cut) {
    const { pauseMs = 0 } = cut;
    if (pauseMs >= LEAST_SURE_MS) await untilRead(socket);
    await Bun.sleep(pauseMs);
    return breakOff(cut);
  }
  if (framing === 'chunked') await write('0\r\n\r\n');
  if (socket.destroyed) return 'left';
  socket.end();
  return 'played';
}

function* inOrder(...lists: Iterable<Part>[]): Generator<Part> {
  for (const list of lists) yield* list;
}

function waitsAfterItsBytes(body: readonly Part[]): boolean {
  const last = body.findLastIndex((part) => isBytes(part) && part.length > 0);
  return body.slice(last + 1).some((part) => part instanceof Promise);
}

function headOf(script: Script): string {
  const { status = 200, headers = {}, framing = 'sized', body = [] } = script;
  const lines = [`HTTP/1.1 ${status} Scripted`, 'connection: close'];
  const length = bodyLength(script);
  if (framing === 'sized' && waitsAfterItsBytes(body))
    throw new Error('a sized answer is over with its last byte: it waits after it only when it is chunked');
  if (framing === 'sized') lines.push(`content-length: ${length}`);
  if (framing === 'chunked') lines.push('transfer-encoding: chunked');
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
