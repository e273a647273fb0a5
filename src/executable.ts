// Entry point of the executable from `npm run build`. Bun reads some variables only at process start, which `npm start`
// sets beforehand; here the process restarts itself with them before anything else is loaded.

import { runtimeEnvironment } from './server/settings/settings.ts';

const environment = runtimeEnvironment();
if (environment) {
  try {
    process.execve?.(process.execPath, [process.execPath, ...process.argv.slice(2)], environment);
  } catch {
    // It works without them, but more than 256 concurrent calls wait for each other.
  }
}
await import('./cli.ts');
