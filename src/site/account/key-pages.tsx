/** @jsxImportSource hono/jsx */
// Keys: made, changed, rotated and revoked from the page, by the same functions as through the API.

import { readSpending } from '../../accounts/keys/key-spending.ts';
import { subtreeOf, treeOrder } from '../../accounts/keys/key-tree.ts';
import { addKey, editKey, removeKey, rotateKey } from '../../accounts/keys/manage-keys.ts';
import { type Fault, fault } from '../../faults/fault.ts';
import { sleep } from '../../kit/clock.ts';
import { taipeiDay, taipeiDayStart } from '../../kit/taipei.ts';
import { isFull } from '../../store/book/key-count.ts';
import { ancestorsOf } from '../../store/key-chain.ts';
import { REFUSED_DAYS } from '../../store/refusals.ts';
import type { KeyRow } from '../../store/rows.ts';
import { faultText } from '../fault-text.ts';
import { date, sentences } from '../format.ts';
import type { Notice } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { SubmitRow } from '../parts/button.tsx';
import { Hidden, SelectField } from '../parts/field.tsx';
import { Facts } from '../parts/table.tsx';
import type { SiteTools } from '../tools.ts';
import { readParentBudget } from './budget-bars.tsx';
import { changedKeyBody, KEY_ID_FIELD, newKeyBody } from './forms.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { type KeyFaults, keyFaults } from './key-fields.tsx';
import { KeysPage, type TypedKey } from './keys.tsx';
import { askerOf, managing, type SignedVisit, type Visits } from './visits.tsx';

/** As on the overview. */
const SPENT_DAYS = 30;
const SOON_MS = 1_000;
/** How long the old text of a rotated key works, unless its end is chosen. */
const DAY_S = 86_400;
const KEYS = '/account/keys';

export function addKeyPages(visits: Visits, tools: SiteTools): void {
  const add = managing(visits, KEYS, async (visit, refused) => {
    const { texts, faults } = await whatIsWrong(tools, visit, refused);
    const typed = { keyId: visit.params.id, form: visit.form, faults };
    const notice = { text: sentences(...texts), isBad: true };
    return showKeys(tools, visit, { notice, status: refused.row.status, typed });
  });

  visits.signed('get', KEYS, (visit) => {
    const { form, flash } = visit;
    const typed = { keyId: form.get(KEY_ID_FIELD) ?? undefined, form, faults: {} };
    return showKeys(tools, visit, { fresh: flash.secret, typed: form.size > 0 ? typed : undefined });
  });
  add('post', '', async (visit) => {
    const known = await tools.store.read.keysOf(visit.session.accountId);
    if (visit.form.get('known') !== String(known.length)) return showStale(tools, visit);
    const body = newKeyBody(visit.form);
    // A program may do without; a list for people needs names.
    if (body.name === null) throw fault('invalid_request', { param: 'name' });
    const { answer } = await addKey(tools, askerOf(tools, visit), body, undefined);
    return visit.goWith(KEYS, { secret: answer.api_key });
  });
  add('post', '/:id', async (visit, keyId) => {
    const known = await findKey(tools, visit, keyId);
    await editKey(tools, askerOf(tools, visit), keyId, changedKeyBody(visit.form, known));
    return done(visit, 'saved');
  });
  add('post', '/:id/rotate', async (visit, keyId) => {
    const known = await findKey(tools, visit, keyId);
    if (known && visit.form.get('last4') !== known.last4) return done(visit, 'stale');
    const grace = { grace_seconds: visit.form.get('old') === 'none' ? 0 : DAY_S };
    const { answer } = await rotateKey(tools, askerOf(tools, visit), keyId, grace, undefined);
    return visit.goWith(KEYS, { secret: answer.api_key });
  });
  for (const action of ['rotate', 'revoke'] as const) {
    add('get', `/:id/${action}`, async (visit, keyId) => {
      const known = await findKey(tools, visit, keyId);
      if (!known) throw fault('not_found');
      if (known.revokedAt !== null) return done(visit, 'gone');
      const isCurrent = keyId === visit.session.keyId;
      return visit.show(<QuestionPage context={visit.page} action={action} key_={known} isCurrent={isCurrent} />);
    });
  }
  add('post', '/:id/revoke', async (visit, keyId) => {
    const known = await findKey(tools, visit, keyId);
    if (known && known.revokedAt !== null) return done(visit, 'gone');
    await removeKey(tools, askerOf(tools, visit), keyId);
    return done(visit, 'revoked');
  });
}

/** `gone`: it was revoked already, perhaps in another tab. */
function done(visit: SignedVisit, what: 'saved' | 'revoked' | 'gone' | 'stale'): Response {
  return visit.goWith(KEYS, { notice: { text: visit.page.words.account.keys[what], isBad: what === 'stale' } });
}

async function whatIsWrong(tools: SiteTools, visit: SignedVisit, refused: Fault) {
  const { form, params, session, page } = visit;
  if (refused.code !== 'invalid_request') return { texts: [faultText(page.language, refused)], faults: {} };
  const keys = await tools.store.read.keysOf(session.accountId);
  const known = keys.find(({ keyId }) => keyId === params.id);
  const body = params.id === undefined ? newKeyBody(form) : changedKeyBody(form, known);
  /** For a form that has fields. */
  const faults: KeyFaults = form.has('name') ? keyFaults(tools, body, known, refused, page.language) : {};
  const texts = Object.values(faults);
  const isTooMany = refused.details.param === undefined;
  if (texts.length === 0 && !isTooMany) texts.push(faultText(page.language, refused));
  const isNew = params.id === undefined;
  if (isTooMany || (isNew && isFull(keys, tools.clock.now()))) {
    texts.unshift(page.words.fields.too_many_keys);
  }
  return { texts, faults };
}

/** Nothing was created: the form is shown again with its input, below the current list. */
function showStale(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const notice = { text: visit.page.words.account.keys.stale, isBad: true };
  const typed = { keyId: undefined, form: visit.form, faults: {} };
  return showKeys(tools, visit, { notice, typed, status: 409 });
}

function findKey({ store }: SiteTools, { session }: SignedVisit, keyId: string) {
  return store.read.keysOf(session.accountId).then((keys) => keys.find((key) => key.keyId === keyId));
}

interface Shown {
  /** The text of a key that was just made. */
  fresh?: string | undefined;
  typed?: TypedKey | undefined;
  notice?: Notice | undefined;
  status?: number;
}

async function showKeys(tools: SiteTools, visit: SignedVisit, { notice, status = 200, ...shown }: Shown) {
  const facts = await readFacts(tools, visit, shown);
  return visit.show(<KeysPage context={visit.page} facts={facts} notice={notice} />, { status });
}

export type KeysFacts = Awaited<ReturnType<typeof readFacts>>;

async function readFacts(tools: SiteTools, visit: SignedVisit, { fresh, typed }: Shown) {
  const { accountId, keyId, canManage } = visit.session;
  // As through the API: a key that cannot manage sees itself and the keys below it.
  const known = await tools.store.read.keysOf(accountId);
  const all = canManage || keyId === null ? treeOrder(known) : subtreeOf(known, keyId);
  const keys = all.filter(({ revokedAt }) => revokedAt === null);
  const current = keys.find((key) => key.keyId === keyId);
  const now = tools.clock.now();
  const since = taipeiDay(now) - SPENT_DAYS + 1;
  const [spendingOf, above, spent, refused] = await Promise.all([
    readSpending(tools, keys),
    current && readParentBudget(tools, ancestorsOf(known, current)),
    // A new key is shown only here, so it must not wait for optional parts.
    fresh === undefined ? readSpent(tools, accountId, since, all) : undefined,
    fresh === undefined ? readRefusedCounts(tools, accountId) : undefined,
  ]);
  const editedId = typed?.keyId ?? visit.url.searchParams.get('edit') ?? undefined;
  return {
    /** Parents before their children. */
    keys,
    ...pageOf(keys, editedId, visit.url.searchParams.get('page')),
    editedId,
    /** The key and its ancestors, those that are not shown included. */
    chainOf: (key: KeyRow) => [key, ...ancestorsOf(known, key)],
    spendingOf,
    /** The rest of the budgets above this session's key. */
    above,
    /** Of each key with the keys below it, if used since that day; undefined if it is unknown now. */
    spent,
    spentSince: date(taipeiDayStart(since)),
    /** How many requests of each were refused lately; undefined if it is not known now. */
    refused,
    models: tools.catalog().models.map(({ id }) => id),
    /** How many keys the account has ever had. */
    known: known.length,
    currentId: keyId,
    canManage,
    fresh,
    typed,
    now,
  };
}

/** Keys on one page: two hundred keys with their forms are 3 MB. */
const KEYS_ON_PAGE = 12;

/** The page that has the edited key, else the one that was asked for; from 1. */
function pageOf(keys: readonly KeyRow[], editedId: string | undefined, asked: string | null) {
  const pages = Math.max(1, Math.ceil(keys.length / KEYS_ON_PAGE));
  const index = keys.findIndex(({ keyId }) => keyId === editedId);
  const wanted = index < 0 ? Number(asked ?? 1) : Math.floor(index / KEYS_ON_PAGE) + 1;
  const page = Number.isInteger(wanted) ? Math.min(Math.max(1, wanted), pages) : 1;
  return { page, pages, shown: keys.slice((page - 1) * KEYS_ON_PAGE, page * KEYS_ON_PAGE) };
}

/** Each with the keys below it. Undefined if it takes long, as during an audit: revoking a key must not wait
 * for it. */
async function readSpent(tools: SiteTools, accountId: string, since: number, keys: readonly KeyRow[]) {
  const sums = await soon(tools, tools.store.read.spendByKey(accountId, since));
  if (!sums) return undefined;
  const spent = new Map(sums.map((sum) => [sum.keyId, sum.cost]));
  // Children come before their parents here.
  for (const { keyId, parentId } of keys.toReversed()) {
    if (parentId !== null) spent.set(parentId, (spent.get(parentId) ?? 0n) + (spent.get(keyId) ?? 0n));
  }
  return spent;
}

/** By key, of as many days as their requests are kept. */
async function readRefusedCounts(tools: SiteTools, accountId: string) {
  const since = taipeiDay(tools.clock.now()) - REFUSED_DAYS + 1;
  const counts = await soon(tools, tools.store.read.refusalCounts(accountId, since));
  if (!counts) return undefined;
  const byKey = new Map<string, number>();
  for (const { keyId, refused } of counts) byKey.set(keyId, (byKey.get(keyId) ?? 0) + refused);
  return byKey;
}

/** Undefined if it fails or is not there soon. */
async function soon<Value>({ clock }: SiteTools, value: Promise<Value>): Promise<Value | undefined> {
  const given = new AbortController();
  const late = sleep(clock, SOON_MS, given.signal)
    .catch(() => {})
    .then(() => undefined);
  const found = await Promise.race([value.catch(() => undefined), late]);
  given.abort();
  return found;
}

interface QuestionProps {
  context: PageContext;
  action: 'rotate' | 'revoke';
  key_: KeyRow;
  /** This session was opened with it. Revoked, it ends; rotated, it goes on, and other ones end with the old text. */
  isCurrent: boolean;
}

/** Which key it is, what will happen, and a way back. */
function QuestionPage({ context, action, key_: key, isCurrent }: QuestionProps) {
  const { keys } = context.words.account;
  const isRotation = action === 'rotate';
  const { day, none } = keys.graces;
  const name = [keys.name, key.name ?? keys.noName] as const;
  const current = isRotation ? keys.rotateCurrent : keys.revokeCurrent;
  const note = isCurrent ? <p>{current}</p> : null;
  const back = { back: tabPath('keys'), backText: keys.keep };
  return (
    <AccountPage context={context} tab="keys" title={isRotation ? keys.askRotate : keys.askRevoke}>
      <Facts facts={[name, [keys.last4, `…${key.last4}`], [keys.created, date(key.createdAt)]]} />
      <p>{isRotation ? keys.rotateText : keys.revokeText}</p>
      {isRotation ? null : note}
      <form method="post" action={`${KEYS}/${key.keyId}/${action}`} data-once>
        {isRotation ? (
          <>
            <Hidden fields={{ last4: key.last4 }} />
            <SelectField name="old" label={keys.oldKey} choices={Object.entries({ day, none })} />
            <p>{keys.graceHelp}</p>
            {note}
            <SubmitRow text={keys.rotate} {...back} />
          </>
        ) : (
          <SubmitRow look="danger" text={keys.revoke} {...back} />
        )}
      </form>
    </AccountPage>
  );
}
