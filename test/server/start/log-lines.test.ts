// The log is no condition of the service: where it cannot be written, calls go on, and it comes back with the room for it.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLineWriter } from '../../../src/server/processes/line-writer.ts';
import { eventually } from '../../support/eventually.ts';
import { createWorkplace } from '../../support/start-process.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A named pipe with both ends open, neither of which waits. */
function openPipe() {
  const path = join(folder, 'pipe');
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0);
  const openReader = () => openSync(path, O_RDONLY | O_NONBLOCK);
  const reader = openReader();
  return { reader, writer: openSync(path, O_WRONLY | O_NONBLOCK), openReader };
}

/** One of the programs beside this file: its exit code, and what it said. */
async function run(program: string, ...args: string[]): Promise<[exitCode: number, stderr: string]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = await new Response(child.stderr).text();
  return [await child.exited, stderr];
}

/** What the pipe has now. */
function read(reader: number): string {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.toString('utf8', 0, readSync(reader, bytes));
  } catch {
    return '';
  }
}

describe('lines', () => {
  test('wait for room on a full disk, and then leave whole and in order', async () => {
    const file = join(folder, 'log');
    expect(await run('disk-with-room-again.ts', file)).toEqual([0, '']);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  test('wait for a slow reader, up to a bound', async () => {
    const { reader, writer } = openPipe();
    const lines = createLineWriter(writer);
    const line = (index: number) => `${String(index).padStart(1_023, '.')}\n`;
    for (let index = 0; index < 5_000; index++) lines.write(line(index));
    // Who waited for the reader here would wait forever: it is this very process.
    await Bun.sleep(10);
    let text = '';
    await eventually(
      'what waited is read',
      () => {
        text += read(reader);
        return text.length === 4 * 1024 * 1024;
      },
      60_000,
    );
    expect(text).toBe(Array.from({ length: 4_096 }, (_, index) => line(index)).join(''));
    lines.write('and on\n');
    await lines.end();
    expect(read(reader)).toBe('and on\n');
    closeSync(reader);
    closeSync(writer);
  });

  test('are written before the end, also by a process that stood still for longer than the end may take', async () => {
    const { reader, writer } = openPipe();
    const lines = createLineWriter(writer);
    lines.write('the last\n');
    const ended = lines.end();
    const until = performance.now() + 1_500;
    while (performance.now() < until);
    await ended;
    expect(read(reader)).toBe('the last\n');
    closeSync(reader);
    closeSync(writer);
  });

  test('without a reader are lost; the next reader has the next lines', async () => {
    const { reader, writer, openReader } = openPipe();
    const lines = createLineWriter(writer);
    closeSync(reader);
    lines.write('lost\n');
    await lines.end();
    const next = openReader();
    lines.write('read\n');
    await lines.end();
    expect(read(next)).toBe('read\n');
    closeSync(next);
    closeSync(writer);
  });

  test('that cannot be written do not keep the process from its end', async () => {
    expect(await run('disk-without-room.ts')).toEqual([0, '']);
  });
});

test('a server whose log is on a full disk starts, serves and drains', async () => {
  const place = createWorkplace();
  try {
    const server = await place.serveInto('/dev/full');
    const made = await fetch(`${server.url}/api/agent/register`, { method: 'POST', body: '{}' });
    const { api_key: key } = (await made.json()) as { api_key: string };
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ model: 'auto:free', messages: [{ role: 'user', content: 'Hello' }] });
    for (let count = 0; count < 3; count++) {
      const answer = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    server.signal('SIGTERM');
    const { exitCode, stderr } = await server.ended;
    expect([exitCode, stderr]).toEqual([0, '']);
  } finally {
    await place.remove();
  }
});
