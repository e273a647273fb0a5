/** @jsxImportSource hono/jsx */
// Keys: made, changed, rotated and revoked from the page, by the same functions as through the API.

import { addKey, editKey, removeKey, rotateKey } from '../../accounts/manage-keys.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { faultText } from '../fault-text.ts';
import { wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';
import { changedKeyBody, keyBody } from './forms.ts';
import type { Notice } from './frame.tsx';
import { type KeyFaults, keyFaults } from './key-faults.ts';
import { KeysPage, type TypedKey } from './keys.tsx';
import { RevokePage } from './revoke.tsx';
import type { SignedVisit, Visits } from './visit.tsx';

const GRACE_S = 86_400;

export function addKeyPages(visits: Visits, tools: SiteTools): void {
  const act =
    (handle: (visit: SignedVisit, keyId: string) => Promise<Response>) =>
    async (visit: SignedVisit): Promise<Response> => {
      try {
        if (!visit.session.canManage) throw fault('key_not_permitted');
        return await handle(visit, visit.params.id ?? '');
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const { language } = visit.page;
        const isFull = error.code === 'invalid_request' && error.details.param === undefined;
        const faults = await faultsOf(tools, visit, error);
        const text = isFull ? wordsOf(language).fields.too_many_keys : faultText(language, error);
        const texts = Object.values(faults);
        const typed = { keyId: visit.params.id, form: visit.form, faults };
        const notice = { text: texts.length > 0 ? texts.join(' ') : text, isBad: true };
        return showKeys(tools, visit, { notice, status: error.row.status, typed });
      }
    };

  visits.signed('get', '/account/keys', (visit) => {
    const { keys } = wordsOf(visit.page.language).account;
    const done = visit.url.searchParams.get('done');
    const texts = new Map([
      ['saved', keys.saved],
      ['revoked', keys.revoked],
      ['stale', keys.stale],
    ]);
    const text = texts.get(done ?? '');
    return showKeys(tools, visit, { notice: text === undefined ? undefined : { text, isBad: done === 'stale' } });
  });
  visits.signed(
    'post',
    '/account/keys',
    act(async (visit) => {
      const known = await tools.store.read.keysOf(visit.session.accountId);
      if (visit.form.get('known') !== String(known.length)) return visit.go('/account/keys?done=stale');
      const { answer } = await addKey(tools, visit.session.accountId, keyBody(visit.form), undefined);
      return showKeys(tools, visit, { fresh: String(answer.api_key) });
    }),
  );
  visits.signed(
    'post',
    '/account/keys/:id',
    act(async (visit, keyId) => {
      const known = await findKey(tools, visit, keyId);
      await editKey(tools, visit.session.accountId, keyId, changedKeyBody(visit.form, known));
      return visit.go('/account/keys?done=saved');
    }),
  );
  visits.signed(
    'post',
    '/account/keys/:id/rotate',
    act(async (visit, keyId) => {
      const known = await findKey(tools, visit, keyId);
      if (known && visit.form.get('last4') !== known.last4) return visit.go('/account/keys?done=stale');
      const { accountId } = visit.session;
      const { answer } = await rotateKey(tools, { accountId, keyId }, { grace_seconds: GRACE_S }, undefined);
      return showKeys(tools, visit, { fresh: String(answer.api_key) });
    }),
  );
  visits.signed(
    'get',
    '/account/keys/:id/revoke',
    act(async (visit, keyId) => {
      const known = await findKey(tools, visit, keyId);
      if (!known || known.revokedAt !== null) throw fault('not_found');
      return visit.show(<RevokePage context={visit.page} key_={known} isCurrent={keyId === visit.session.keyId} />);
    }),
  );
  visits.signed(
    'post',
    '/account/keys/:id/revoke',
    act(async (visit, keyId) => {
      await removeKey(tools, visit.session.accountId, keyId);
      return visit.go('/account/keys?done=revoked');
    }),
  );
}

/** Of a form that has fields. */
async function faultsOf(tools: SiteTools, visit: SignedVisit, refused: Fault): Promise<KeyFaults> {
  if (refused.code !== 'invalid_request' || !visit.form.has('name')) return {};
  const known = await findKey(tools, visit, visit.params.id ?? '');
  return keyFaults(tools, changedKeyBody(visit.form, known), refused, visit.page.language);
}

function findKey({ store }: SiteTools, { session }: SignedVisit, keyId: string) {
  return store.read.keysOf(session.accountId).then((keys) => keys.find((key) => key.keyId === keyId));
}

interface Shown {
  fresh?: string;
  /** What was sent and refused: it is there to be mended. */
  typed?: TypedKey | undefined;
  notice?: Notice | undefined;
  status?: number;
}

async function showKeys(
  tools: SiteTools,
  visit: SignedVisit,
  { fresh, notice, typed, status = 200 }: Shown,
): Promise<Response> {
  const { accountId, keyId, canManage } = visit.session;
  const all = await tools.store.read.keysOf(accountId);
  const keys = all.filter(({ revokedAt }) => revokedAt === null);
  const facts = { keys, known: all.length, currentId: keyId, canManage, fresh, typed, now: tools.clock.now() };
  return visit.show(<KeysPage context={visit.page} facts={facts} notice={notice} />, { status });
}
