// Where the Chromium from npm is, once it is there as a whole. The package unpacks into the folder for temporary files and
// takes for whole what somebody else is still writing there. So each unpacks in a folder of its own, which is then put in
// its place by a rename: two test files may begin at once. Each user of the machine has a place of their own: nobody may
// enter another's.

import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

const UNPACK = `await (await import('@sparticuz/chromium')).default.executablePath()`;

export async function unpackChromium(): Promise<string> {
  const version = packageJson.devDependencies['@sparticuz/chromium'];
  const place = join(tmpdir(), `gateway-chromium-${version}-${process.getuid?.() ?? 'user'}`);
  if (!existsSync(place)) {
    const own = mkdtempSync(`${place}-`);
    const child = Bun.spawn([process.execPath, '--no-env-file', '-e', UNPACK], {
      cwd: import.meta.dir,
      env: { PATH: process.env.PATH ?? '', TMPDIR: own },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const stderr = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`Chromium cannot be unpacked: ${stderr}`);
    try {
      renameSync(own, place);
    } catch {
      // Somebody else was faster.
      rmSync(own, { recursive: true, force: true });
    }
  }
  return join(place, 'chromium');
}
