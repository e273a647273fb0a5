// Forms as the API takes them: what a visitor typed becomes the same body that a program would send.

import { LIMIT_NAMES, limitsIn, memberOf } from '../../accounts/keys/limit-fields.ts';
import type { KeyBody } from '../../accounts/keys/read-key-fields.ts';
import { RawJson } from '../../kit/json/raw-json.ts';
import { formatNtd, parseNtd } from '../../kit/money.ts';
import type { KeyRow } from '../../store/rows.ts';
import { date } from '../format.ts';
import { knownQuery } from '../page-parameters.ts';
import { plainNumber } from '../read-form.ts';
import type { KeptFields } from '../typed-before.ts';

export const MAX_FORM_BYTES = 16 * 1024;

/** Key of a form; the form's path names it, and the page with all keys does not. */
export const KEY_ID_FIELD = 'key_id';

/** Never a password, nor the code of a card, which is money. */
const KEPT_NAMES: ReadonlySet<string> = new Set([
  ...['name', 'parent', 'models', 'expires', 'manage', 'delegate', KEY_ID_FIELD],
  ...LIMIT_NAMES.map(memberOf),
  ...['billing_name', 'tax_id'],
]);

export const KEPT_FIELDS: KeptFields = {
  has: (name) => KEPT_NAMES.has(name),
  // With the rest of its form it is still taken.
  mostChars: MAX_FORM_BYTES / 2,
};

/** The input and its key. */
export function typedOf({ form, params }: { form: URLSearchParams; params: Readonly<Record<string, string>> }) {
  return new URLSearchParams([
    ...form,
    ...(params.id === undefined || !form.has('name') ? [] : [[KEY_ID_FIELD, params.id] as [string, string]]),
  ]);
}

/** An empty field takes the limit away. */
function keyBody(form: URLSearchParams) {
  const text = (name: string) => (form.get(name) ?? '').trim();
  const models = form.getAll('models').filter((id) => id !== '');
  const group = (name: 'budgets' | 'rates', read: (typed: string) => RawJson | number | string) =>
    Object.fromEntries(
      limitsIn(name)
        .map(memberOf)
        .map((member) => [member, text(member) === '' ? null : read(text(member))]),
    );
  const expires = text('expires');
  return {
    name: text('name') || null,
    models: models.length > 0 ? models : null,
    budgets: group('budgets', readBudget),
    rates: group('rates', readRate),
    expires_at: expires === '' ? null : `${expires}T00:00:00+08:00`,
    manage: form.get('manage') === '1',
    delegate: form.get('delegate') === '1',
  };
}

export function newKeyBody(form: URLSearchParams): KeyBody {
  return { ...keyBody(form), parent_id: form.get('parent') || null };
}

/** As models and channels are named, which have no upper case: full-width letters and separators become plain ones. */
export function plainId(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/** As pages write it, and as people say it. */
function withoutUnit(text: string): string {
  return text
    .replace(/^[NＮ][TＴ][$＄]\s*/i, '')
    .replace(/元$/, '')
    .trimEnd();
}

/** An invalid amount stays as it is, for the API to refuse. */
function readBudget(text: string): RawJson | string {
  const amount = parseNtd(plainNumber(withoutUnit(text)));
  return amount === undefined ? text : new RawJson(formatNtd(amount));
}

/** The same for a count. */
function readRate(text: string): number | string {
  const digits = plainNumber(text);
  return /^\d+$/.test(digits) ? Number(digits) : text;
}

/** A date that was left as it stood keeps its hour, and need not lie in the future. */
export function changedKeyBody(form: URLSearchParams, known: KeyRow | undefined): KeyBody {
  const { expires_at: expiresAt, ...rest } = keyBody(form);
  const isSame = known?.expiresAt != null && form.get('expires') === date(known.expiresAt);
  return isSame || expiresAt === undefined ? rest : { ...rest, expires_at: expiresAt };
}

/**
 * The page to open after signing in: only a page of the account with its known parameters, never another site. For a file,
 * the page that links to it, because a browser that saves a file would stay on the sign-in page.
 */
export function nextPath(given: string | null | undefined): string {
  const [, asked = '/account', query = ''] = /^(\/account(?:\/[\w./-]*)?)(\?[^#\s\\]*)?$/.exec(given ?? '') ?? [];
  const path = asked.replace(/\.csv$/, '');
  return path + knownQuery(path, query);
}

/** The page that shows what an action came to: what can be asked for again, in another language or after signing in. */
export function pageOfAction(path: string): string {
  if (path.startsWith('/account/keys/')) return '/account/keys';
  if (path.startsWith('/account/webhooks/')) return '/account/webhooks';
  return /^\/account\/(create|sign-out|sign-out-everywhere)$/.test(path) ? '/account' : path;
}
