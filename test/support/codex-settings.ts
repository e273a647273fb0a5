// Codex with more settings than its plain run has.

import { codex, type Errand } from './clis.ts';
import type { CliRun } from './run-cli.ts';

interface CodexSettings {
  /** Lines of its configuration. */
  general?: string;
  /** Lines of the provider's part of it. */
  provider?: string;
}

const CONFIG = '.codex/config.toml';

export function runCodexWith(errand: Errand, { general = '', provider = '' }: CodexSettings): CliRun {
  const run = codex.run(errand);
  return { ...run, files: { ...run.files, [CONFIG]: `${general}\n${run.files?.[CONFIG] ?? ''}\n${provider}\n` } };
}
