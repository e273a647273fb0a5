// The upstream, a separate process with plain TCP and prepared answers, so that it costs very little. It counts its answers
// by the first part of the path, which names the target, and by script. Its parent controls it over IPC.

import type { Socket } from 'bun';
import { bodyOf, eventsOf, isScriptName, SCRIPT_NAMES, type ScriptName, SLOW_PACE_MS, scriptOf } from './answers.ts';
import type { Counts, UpstreamCommand, UpstreamReply } from './messages.ts';

interface Peer {
  /** Bytes of an incomplete request. */
  received: Buffer | undefined;
  /** Bytes that the socket has not accepted yet. */
  unsent: Buffer[];
  isClosed: boolean;
}

type Connection = Socket<Peer>;

interface RunningStream {
  connection: Connection;
  frames: readonly Buffer[];
  next: number;
}

const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n';

const whole = new Map<ScriptName, Buffer>();
/** The first chunk includes the headers, the last one the end of the body. */
const frames = new Map<ScriptName, Buffer[]>();
for (const name of SCRIPT_NAMES) {
  if (scriptOf(name).stream) frames.set(name, framesOf(name));
  else whole.set(name, jsonResponse(bodyOf(name)));
}

const counts: Counts = {};
const held: RunningStream[] = [];
/** By pace: the connections written to at every tick. */
const paced = new Map<number, Set<RunningStream>>();

function jsonResponse(body: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

function framesOf(name: ScriptName): Buffer[] {
  const chunks = eventsOf(name).map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`);
  return chunks.map((chunk, index) =>
    Buffer.from(`${index === 0 ? STREAM_HEAD : ''}${chunk}${index === chunks.length - 1 ? '0\r\n\r\n' : ''}`),
  );
}

function send(connection: Connection, bytes: Buffer): void {
  const { data } = connection;
  if (data.isClosed) return;
  if (data.unsent.length > 0) {
    data.unsent.push(bytes);
    return;
  }
  const sent = connection.write(bytes);
  if (sent < bytes.length) data.unsent.push(bytes.subarray(Math.max(sent, 0)));
}

/** The end of the request in the bytes, or undefined if it is incomplete. There is no pipelining. */
function endOf(bytes: Buffer, bodyAt: number, head: string): number | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = bodyAt + Number(length);
    return bytes.length >= end ? end : undefined;
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return bodyAt;
  return bytes.length >= bodyAt + 5 && bytes.toString('latin1', bytes.length - 5) === '0\r\n\r\n'
    ? bytes.length
    : undefined;
}

function receive(connection: Connection, piece: Buffer): void {
  const { data } = connection;
  const bytes = data.received ? Buffer.concat([data.received, piece]) : piece;
  const headEnd = bytes.indexOf('\r\n\r\n');
  const head = headEnd < 0 ? '' : bytes.toString('latin1', 0, headEnd);
  if (headEnd < 0 || endOf(bytes, headEnd + 4, head) === undefined) {
    data.received = bytes;
    return;
  }
  data.received = undefined;
  answer(connection, head, bytes.subarray(headEnd + 4));
}

function answer(connection: Connection, head: string, body: Buffer): void {
  const asker = head.slice(head.indexOf('/') + 1, head.indexOf('/', head.indexOf('/') + 1));
  const at = body.indexOf('"model":"') + 9;
  const name = at < 9 ? '' : body.toString('latin1', at, body.indexOf('"', at));
  if (!isScriptName(name)) {
    send(connection, Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'));
    return;
  }
  counts[asker] ??= {};
  counts[asker][name] = (counts[asker][name] ?? 0) + 1;
  const response = whole.get(name);
  if (response) send(connection, response);
  else stream(connection, name);
}

function stream(connection: Connection, name: ScriptName): void {
  const running = { connection, frames: frames.get(name) ?? [], next: 0 };
  const { paceMs = 0, isHeld = false } = scriptOf(name).stream ?? {};
  if (paceMs === 0) while (writeNext(running));
  else if (isHeld) {
    // The role and the first token.
    writeNext(running);
    writeNext(running);
    held.push(running);
  } else {
    writeNext(running);
    pace(running, paceMs);
  }
}

/** Whether more events follow. */
function writeNext(running: RunningStream): boolean {
  const frame = running.frames[running.next++];
  if (frame) send(running.connection, frame);
  return running.next < running.frames.length && !running.connection.data.isClosed;
}

function pace(running: RunningStream, paceMs: number): void {
  if (paceMs === SLOW_PACE_MS) {
    // Each at its own moments: a thousand at once would measure the burst.
    const own = setInterval(() => {
      if (!writeNext(running)) clearInterval(own);
    }, paceMs);
    return;
  }
  const others = paced.get(paceMs);
  if (others) {
    others.add(running);
    return;
  }
  const all = new Set([running]);
  paced.set(paceMs, all);
  const timer = setInterval(() => {
    for (const one of all) if (!writeNext(one)) all.delete(one);
    if (all.size > 0) return;
    clearInterval(timer);
    paced.delete(paceMs);
  }, paceMs);
}

const listener = Bun.listen<Peer>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    binaryType: 'buffer',
    open(connection) {
      connection.setNoDelay(true);
      connection.data = { received: undefined, unsent: [], isClosed: false };
    },
    data: receive,
    drain(connection) {
      const { data } = connection;
      const waiting = data.unsent;
      data.unsent = [];
      for (const bytes of waiting) send(connection, bytes);
    },
    close(connection) {
      connection.data.isClosed = true;
    },
  },
});

const reply = (message: UpstreamReply) => process.send?.(message);
process.on('message', (command: UpstreamCommand) => {
  if (command === 'release') for (const running of held.splice(0)) while (writeNext(running));
  reply({ counts });
});
process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
reply({ port: listener.port });
