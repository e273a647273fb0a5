// Resolves a channel's `api_key` (env:NAME, file:PATH, a sealed literal) to the secret.

import { isHeaderText, secretText } from '../../kit/header-text.ts';
import { readKeyFile } from '../../kit/key-file.ts';
import { isOwnKey } from '../../kit/own-key.ts';
import type { Sealer } from '../../kit/sealed.ts';
import type { Settings } from './settings.ts';

export function createSecretResolver(settings: Pick<Settings, 'variable'>, sealer: Sealer) {
  const find = (secret: string, channel: string): string | undefined => {
    if (secret.startsWith('env:')) return upstreamSecret(settings.variable(secret.slice(4)));
    const file = readKeyFile(secret);
    return file ? file.key : sealer.open(secret, channel);
  };
  // A key that no header can carry would fail like a network error; without a key, the upstream reports the cause.
  return (secret: string, channel: string): string | undefined => {
    const found = find(secret, channel);
    const text = found === undefined ? undefined : secretText(found);
    return text !== undefined && isHeaderText(text) ? text : undefined;
  };
}

/** A key of this service in such a variable is meant for its clients and must never be sent to a third party. */
function upstreamSecret(value: string | undefined): string | undefined {
  return value !== undefined && isOwnKey(value) ? undefined : value;
}
