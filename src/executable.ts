// Where the executable of `npm run build` begins. Bun reads some variables only when a process starts, which `npm start`
// sets from outside: so the same process begins once more with them, before anything else is loaded.

import { runtimeEnvironment } from './server/settings/settings.ts';

const environment = runtimeEnvironment();
if (environment) {
  try {
    process.execve?.(process.execPath, [process.execPath, ...process.argv.slice(2)], environment);
  } catch {
    // It serves without, and more than 256 calls at once wait for each other.
  }
}
await import('./cli.ts');
