// Keys: made, changed, rotated and revoked from the page, by the same functions as through the API.

import { addKey, editKey, removeKey, rotateKey } from '../../accounts/manage-keys.ts';
import { Fault, fault } from '../../faults/fault.ts';
import { wordsOf } from '../language.ts';
import type { SiteTools } from '../tools.ts';
import { keyBody } from './forms.ts';
import type { Notice } from './frame.tsx';
import { KeysPage } from './keys.tsx';
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
        return showKeys(tools, visit, { notice: { text: error.publicText, isBad: true }, status: error.row.status });
      }
    };

  visits.signed('get', '/account/keys', (visit) => {
    const { keys } = wordsOf(visit.page.language).account;
    const done = { saved: keys.saved, revoked: keys.revoked }[visit.url.searchParams.get('done') ?? ''];
    return showKeys(tools, visit, { notice: done === undefined ? undefined : { text: done } });
  });
  visits.signed(
    'post',
    '/account/keys',
    act(async (visit) => {
      const { answer } = await addKey(tools, visit.session.accountId, keyBody(visit.form), undefined);
      return showKeys(tools, visit, { fresh: String(answer.api_key) });
    }),
  );
  visits.signed(
    'post',
    '/account/keys/:id',
    act(async (visit, keyId) => {
      await editKey(tools, visit.session.accountId, keyId, keyBody(visit.form));
      return visit.go('/account/keys?done=saved');
    }),
  );
  visits.signed(
    'post',
    '/account/keys/:id/rotate',
    act(async (visit, keyId) => {
      const rotated = await rotateKey(tools, visit.session.accountId, keyId, { grace_seconds: GRACE_S });
      return showKeys(tools, visit, { fresh: rotated.api_key });
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

interface Shown {
  fresh?: string;
  notice?: Notice | undefined;
  status?: number;
}

async function showKeys(
  tools: SiteTools,
  visit: SignedVisit,
  { fresh, notice, status = 200 }: Shown,
): Promise<Response> {
  const { accountId, keyId, canManage } = visit.session;
  const keys = (await tools.store.read.keysOf(accountId)).filter(({ revokedAt }) => revokedAt === null);
  const facts = { keys, currentId: keyId, canManage, fresh };
  return visit.show(<KeysPage context={visit.page} facts={facts} notice={notice} />, { status });
}
