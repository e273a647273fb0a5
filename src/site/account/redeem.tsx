/** @jsxImportSource hono/jsx */
// Redeems a prepaid card. A link may have the code after its #, which no server receives; the script fills it in.

import { CARD_CODE_SHAPE } from '../../accounts/card-code.ts';
import { redeemCard } from '../../accounts/redeem-card.ts';
import { visibleKeyIds } from '../../accounts/usage/visible-keys.ts';
import { Fault } from '../../faults/fault.ts';
import { faultText } from '../fault-text.ts';
import { dateTime, money } from '../format.ts';
import type { Notice } from '../frame.tsx';
import type { PageContext } from '../page.tsx';
import { Figure, Money } from '../parts/amount.tsx';
import { LinkButton, Submit } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { CardSource } from '../parts/support-link.tsx';
import { figure, TableSection } from '../parts/table.tsx';
import type { SiteTools } from '../tools.ts';
import { AccountPage } from './frame.tsx';
import type { SignedVisit, Visits } from './visits.tsx';

export function addRedeem(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/redeem', (visit) => show(tools, visit, { isDone: visit.flash.notice !== undefined }));
  visits.signed('post', '/account/redeem', (visit) => redeem(tools, visit));
}

/** Pages from which money is spent or added say that it is before anything is tried. */
export async function isFrozen({ store }: SiteTools, { session }: SignedVisit): Promise<boolean> {
  return (await store.read.wallet(session.accountId))?.frozen ?? false;
}

interface Shown {
  notice?: Notice;
  code?: string;
  fault?: string | undefined;
  isDone?: boolean;
}

async function show(tools: SiteTools, visit: SignedVisit, shown: Shown, status = 200): Promise<Response> {
  const page = <RedeemPage context={visit.page} facts={await readFacts(tools, visit)} {...shown} />;
  return visit.show(page, { status });
}

/** Number of credits searched for cards to show. */
const CREDITS = 20;

async function readFacts({ store }: SiteTools, { session }: SignedVisit) {
  const { accountId } = session;
  const [wallet, keyIds] = await Promise.all([store.read.wallet(accountId), visibleKeyIds(store, session)]);
  // A child key does not see how the account was topped up.
  const credits = keyIds ? [] : await store.read.creditsOf(accountId, CREDITS);
  return {
    isFrozen: wallet?.frozen ?? false,
    balance: wallet?.balance ?? 0n,
    cards: credits.filter(({ kind }) => kind === 'card'),
  };
}

async function redeem(tools: SiteTools, visit: SignedVisit): Promise<Response> {
  const words = visit.page.words.account.redeem;
  const code = visit.form.get('code') ?? '';
  const address = tools.addressOf(visit);
  try {
    const { answer } = await redeemCard(tools, visit.session.accountId, { code }, address, undefined);
    const amount = money(BigInt(answer.amount_nano));
    const text = answer.already_redeemed ? words.again(amount) : words.done(amount, money(BigInt(answer.balance_nano)));
    return visit.goWith('/account/redeem', { notice: { text } });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const faults: Record<string, string> = {
      card_code_malformed: words.malformed,
      card_not_redeemable: words.refused,
    };
    const tooMany = words.tooMany(dateTime(tools.clock.now() + (error.details.retryAfterS ?? 0) * 1000));
    const other = error.code === 'redeem_rate_limited' ? tooMany : faultText(visit.page.language, error);
    const fault = faults[error.code];
    return show(tools, visit, { notice: { text: fault ?? other, isBad: true }, code, fault }, error.row.status);
  }
}

interface RedeemProps extends Shown {
  context: PageContext;
  facts: Awaited<ReturnType<typeof readFacts>>;
}

function RedeemPage({ context, notice, code = '', fault, isDone = false, facts }: RedeemProps) {
  const { redeem: words, overview } = context.words.account;
  const { isFrozen, balance, cards } = facts;
  return (
    <AccountPage context={context} tab="redeem" notice={notice} isFrozen={isFrozen}>
      {isDone ? (
        <p>
          <LinkButton look="quiet" href="/account" text={words.toOverview} />
        </p>
      ) : null}
      <div class="two">
        <div>
          <p>{words.lead}</p>
          <form method="post" action="/account/redeem" data-once>
            <TextField
              name="code"
              label={words.code}
              fault={fault}
              hasFocus
              class="id"
              autocapitalize="characters"
              spellcheck={false}
              placeholder={CARD_CODE_SHAPE}
              value={code}
              required
              data-from-link
            />
            <Submit text={words.redeem} />
          </form>
          <CardSource context={context} />
        </div>
        <Figure title={overview.balance} value={balance} />
      </div>
      {cards.length === 0 ? null : (
        <TableSection
          title={words.redeemed}
          columns={[words.serial, words.at, figure(words.amount)]}
          rows={cards.map(({ reference, at, amount }) => [
            <span class="id">{reference}</span>,
            <span class="number">{dateTime(at)}</span>,
            <Money value={amount} />,
          ])}
        />
      )}
    </AccountPage>
  );
}
