// From what a channel's `api_key` says (env:NAME, file:PATH, a sealed literal) to the secret itself.

import { isHeaderText } from '../../kit/header-text.ts';
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
  // A call with what no header can carry would fail as if the network had: without a key, the upstream says what is wrong.
  return (secret: string, channel: string): string | undefined => {
    const found = find(secret, channel);
    return found !== undefined && isHeaderText(found) ? found : undefined;
  };
}

/** A key of this service in such a variable is meant for its clients: it must never go to a third party. */
function upstreamSecret(value: string | undefined): string | undefined {
  return value !== undefined && isOwnKey(value) ? undefined : value;
}
