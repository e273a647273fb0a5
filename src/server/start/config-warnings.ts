// Logs the configuration at the start and when it changes: what was applied, and warnings. None of them refuses the
// start.

import type { Catalog } from '../../catalog/catalog.ts';
import type { DocumentFault } from '../../catalog/check-references.ts';
import { unusedProviders } from '../../catalog/default-document.ts';
import type { Document } from '../../catalog/document.ts';
import { printFault } from '../../catalog/fault-words.ts';
import type { AppliedRevision } from '../../catalog/publishing/apply-document.ts';
import { type SecretPlaces, warnDocument } from '../../catalog/warn-document.ts';
import { readKeyFile } from '../../kit/key-file.ts';
import type { Log } from '../../kit/log.ts';
import { isLoopback } from '../../kit/loopback.ts';
import type { Settings } from '../settings/settings.ts';

/** Lists the channels: provider keys in the environment add some to the embedded default. */
export function logApplied(
  log: Log,
  file: string | undefined,
  { revision, document, warnings }: AppliedRevision,
): void {
  const channels = document.channels.map(({ name }) => name).join(',');
  log('info', 'config_applied', { channels, file, revision });
  warnOfDocument(log, revision, warnings);
}

/**
 * Each process resolves the references in its own environment. Routes to channels that are switched off are not used: they
 * need no warning.
 */
export function warnOfCatalog(
  log: Log,
  places: Omit<SecretPlaces, 'readFile'>,
  revision: number,
  document: Document,
): void {
  const used = new Set(document.channels.flatMap(({ name, enabled }) => (enabled ? [name] : [])));
  const models = document.models.map(({ routes, ...model }) => ({
    ...model,
    routes: routes.filter(({ channel }) => used.has(channel)),
  }));
  warnOfDocument(log, revision, warnDocument({ ...document, models }, { ...places, readFile: readKeyFile }));
}

function warnOfDocument(log: Log, revision: number, warnings: readonly DocumentFault[]): void {
  for (const warning of warnings) log('warn', 'config_warning', { revision, detail: printFault(warning) });
}

/** The embedded default has their channels, but an edit or an earlier file has replaced it. */
export function warnOfProviders(log: Log, { providers }: Settings, { revision, channels }: Catalog): void {
  for (const name of unusedProviders(providers, [...channels.values()])) {
    const detail = `${name} is set, but revision ${revision} is not the embedded default: it adds nothing; add its channel and models to the catalog document, or unset it`;
    log('warn', 'config_warning', { revision, detail });
  }
}

/** Without TLS the sign-in cookie is sent in plain text, and anyone on the network path can read it. */
export function warnOfPlainHttp(log: Log, { publicUrl }: Settings): void {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  const detail = `PUBLIC_URL is ${publicUrl}, without TLS: keys and the cookies of sign-ins travel unprotected; put TLS in front and set PUBLIC_URL to an https URL`;
  log('warn', 'config_warning', { detail });
}
