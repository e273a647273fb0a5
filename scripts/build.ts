// `npm run build [OUTFILE] [TARGET]`: builds the service as one executable that needs neither Node nor npm. It contains Bun,
// the source, the migrations, the docs and the assets of pages.
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SHIPPED, SHIPPED_FOLDERS } from '../src/server/shipped-files.ts';

const ROOT = join(import.meta.dir, '..');

// Inside the executable all entry points are in one folder, so that a thread's program is found from anywhere.
const ENTRY_POINTS = ['src/executable.ts', 'src/store/sqlite/writer-thread.ts', 'src/store/sqlite/reader-thread.ts'];

/** `target` is another platform, such as `bun-linux-arm64`; Bun then downloads its build for it. */
export async function buildExecutable(outfile: string, target?: string): Promise<void> {
  const folder = dirname(outfile);
  mkdirSync(folder, { recursive: true });
  // Built beside its final path and renamed, so that it is never incomplete and may replace a running program.
  const staging = mkdtempSync(join(folder, '.build-'));
  const built = join(staging, 'ai-gateway');
  try {
    for (const folder of SHIPPED_FOLDERS)
      cpSync(join(ROOT, folder), join(staging, SHIPPED, folder), { recursive: true });
    mkdirSync(dirname(outfile), { recursive: true });
    const { success, logs } = await Bun.build({
      entrypoints: ENTRY_POINTS.map((path) => join(ROOT, path)),
      naming: '[name].[ext]',
      target: 'bun',
      // So that stack frames in the log name the source.
      sourcemap: 'inline',
      compile: {
        outfile: built,
        assets: [join(staging, SHIPPED)],
        autoloadBunfig: false,
        autoloadDotenv: false,
        ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
      },
    });
    if (!success) throw new Error(logs.join('\n'));
    renameSync(built, outfile);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [name = 'dist/ai-gateway', target] = process.argv.slice(2);
  const outfile = resolve(name);
  await buildExecutable(outfile, target);
  console.log(`${outfile}: ${Math.round(statSync(outfile).size / 1e6)} MB`);
}
