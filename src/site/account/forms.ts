// Forms as the API takes them: what a visitor typed becomes the same body that a program would send.

import type { JsonObject } from '../../kit/json.ts';

const MAX_FORM_BYTES = 8 * 1024;

/** Undefined if it is too long to be one of ours. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > MAX_FORM_BYTES) return undefined;
  const text = await request.text();
  return text.length > MAX_FORM_BYTES ? undefined : new URLSearchParams(text);
}

/** An empty field takes the limit away. */
export function keyBody(form: URLSearchParams): JsonObject {
  const text = (name: string) => (form.get(name) ?? '').trim();
  const models = text('models')
    .split(/[\s,]+/)
    .filter((id) => id !== '');
  const expires = text('expires');
  return {
    name: text('name') || null,
    models: models.length > 0 ? models : null,
    daily_budget_ntd: text('budget') || null,
    expires_at: expires === '' ? null : `${expires}T00:00:00+08:00`,
    manage: form.get('manage') === '1',
  };
}

/** Where a visitor was going: only a page of the account, never another site. */
export function nextPath(given: string | null | undefined): string {
  return given && /^\/account(\/[\w./-]*)?(\?[^#\s\\]*)?$/.test(given) ? given : '/account';
}
