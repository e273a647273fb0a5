// Whether an upstream's 403 concerns our key, account or credit, or the request. Content filters and firewalls also
// send 403, and a prompt must not be able to close a channel: so only known codes and sentences of vendors count.

import { isObject, type JsonObject, tryParseJson } from '../../kit/json/json.ts';
import { findError } from './find-error.ts';
import { readGoogleDetails } from './google-details.ts';

/** In codes, types and reasons, which callers cannot write. */
const KEY_CODES = new RegExp(
  [
    'auth',
    'api_?key',
    'credential',
    'permission',
    'access_?(denied|terminated|restricted)',
    'suspended|deactivated|disabled|expired|unpurchased|arrear|verif',
    'billing|insufficient|quota',
    'unsupported_country|request_forbidden|model_not_found',
  ].join('|'),
  'i',
);
/** At the start of a message, before anything that it may quote. */
const KEY_WORDS = new RegExp(
  `^(\\w+: )?[^"'\`“‘「:]{0,100}?\\b(${[
    'api[ _-]?keys?|(the|this|your) key|key (is|was|has|limit)',
    '(access|auth\\w*|bearer) tokens?|credentials?',
    'unauthori[sz]ed|not authori[sz]ed|authenticat\\w+|authori[sz]ation|permissions?',
    '(no|not have|without) access|access (is )?denied|access to (the|this) (model|resource|project|api)',
    'deactivated|suspended|terminated|disabled',
    'country|region|territory|ip address',
    'billing|credits?|balance|quota|subscription',
  ].join('|')})\\b`,
  'i',
);

export function isAboutKey({ code, type, status, message, details, metadata }: JsonObject): boolean {
  const codes = [code, type, status, readGoogleDetails(details).reason];
  if (codes.some((code) => typeof code === 'string' && KEY_CODES.test(code))) return true;
  if (typeof message === 'string' && KEY_WORDS.test(message)) return true;
  // The error of an upstream behind OpenRouter.
  const raw = isObject(metadata) && typeof metadata.raw === 'string' ? metadata.raw : '';
  const { message: said } = findError(tryParseJson(raw)) ?? {};
  return typeof said === 'string' && KEY_WORDS.test(said);
}
