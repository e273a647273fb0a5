// Where the Chromium from npm is, once it is there as a whole. The package unpacks into the temporary folder and takes for
// whole whatever it finds there, also what another process has only begun: so it unpacks aside, and the executable is put
// in its place last.

import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const EXECUTABLE = 'chromium';
const PROGRAM = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";

export async function unpackChromium(): Promise<string> {
  const path = join(tmpdir(), EXECUTABLE);
  if (existsSync(path)) return path;
  const folder = mkdtempSync(join(tmpdir(), 'gateway-chromium-'));
  try {
    const child = Bun.spawn([process.execPath, '--no-env-file', '-e', PROGRAM], {
      cwd: import.meta.dir,
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if ((await child.exited) !== 0) throw new Error('Chromium could not be unpacked');
    for (const name of readdirSync(folder)) if (name !== EXECUTABLE) moveTo(join(tmpdir(), name), join(folder, name));
    renameSync(join(folder, EXECUTABLE), path);
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function moveTo(place: string, from: string): void {
  try {
    renameSync(from, place);
  } catch (error) {
    // A folder that another process has put there, which is as good.
    if (!existsSync(place)) throw error;
  }
}
