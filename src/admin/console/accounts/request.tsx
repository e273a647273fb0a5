/** @jsxImportSource hono/jsx */
// One request of an account: usage, hold, cost, and every try, with the form of its refund. Never its content.

import { formatNtd, type Nano } from '../../../kit/money.ts';
import { count, dateTime, milliseconds, money } from '../../../site/format.ts';
import { type Language, wordsOf } from '../../../site/language.ts';
import { Attempts, RequestStatus } from '../../../site/parts/attempts.tsx';
import { Submit } from '../../../site/parts/button.tsx';
import { CopyId } from '../../../site/parts/code-block.tsx';
import { Hidden, TextField } from '../../../site/parts/field.tsx';
import { type Fact, Facts, Under } from '../../../site/parts/table.tsx';
import type { Entry, UsageRecord } from '../../../store/rows.ts';
import { showRequest } from '../../actions/accounts.ts';
import { refund } from '../../actions/money.ts';
import { Customer, readNicknames } from '../customer.tsx';
import { type ConsoleContext, ConsolePage } from '../frame.tsx';
import { type FormProps, fieldsIn, readMoney, type Shown, sentTwice } from '../refused.ts';
import { ACTOR } from '../tools.ts';
import type { ConsoleVisit, ConsoleVisits } from '../visits.tsx';
import { consoleWords } from '../words/words.ts';

export const requestPath = (accountId: string, requestId: string) => `/accounts/${accountId}/requests/${requestId}`;

export function addRequestPage(visits: ConsoleVisits): void {
  visits.get('/accounts/:id/requests/:request', show);
  visits.post('/accounts/:id/requests/:request/refund', refundRequest, show);
}

async function show(visit: ConsoleVisit, { notice, faults, status = 200 }: Shown = {}): Promise<Response> {
  const { page: context, form } = visit;
  const { accounts } = context.words;
  const { id: accountId = '', request: requestId = '' } = visit.params;
  const found = await showRequest(visit.tools, accountId, requestId);
  const nicknames = await readNicknames(visit.tools, [accountId]);
  const path = requestPath(accountId, requestId);
  const refundOf = { context, path, ticket: visit.once.ticket(), form, faults };
  const account = <Customer accountId={accountId} nicknames={nicknames} />;
  const heads: Fact[] = [
    [accounts.request, <CopyId language={context.language} id={requestId} name={accounts.request} />],
    [accounts.account, account],
  ];
  return visit.show(
    <ConsolePage context={context} section="accounts" title={accounts.request} notice={notice}>
      {found.isOpen ? (
        <>
          <p>{accounts.stillRuns}</p>
          <Facts facts={[...heads, [accounts.key, found.keyId]]} look="lines" />
        </>
      ) : !found.record ? (
        <>
          <p>{accounts.notKept}</p>
          <Facts
            facts={[...heads, ...factsOfEntry(context.language, found.entry), ...refundFacts(context, found.refunded)]}
            look="lines"
          />
          <RequestRefund {...refundOf} charged={found.entry.amount} refunded={found.refunded} />
        </>
      ) : (
        <>
          <div class="two">
            <Facts facts={[...heads, ...callFacts(context.language, found.record)]} look="lines" />
            <div>
              <Facts
                facts={[...billFacts(context.language, found.record), ...refundFacts(context, found.refunded)]}
                look="lines"
              />
              <Rule language={context.language} record={found.record} />
            </div>
          </div>
          <RequestRefund {...refundOf} charged={found.record.cost} refunded={found.refunded} />
          <h2>{accounts.attempts}</h2>
          {found.record.attempts.length === 0 ? (
            <p class="empty">{accounts.noAttempts}</p>
          ) : (
            <Attempts language={context.language} attempts={found.record.attempts} status={found.record.status} />
          )}
        </>
      )}
    </ConsolePage>,
    { status },
  );
}

function refundFacts({ words }: ConsoleContext, refunded: Nano): Fact[] {
  return refunded > 0n ? [[words.refunds.refunded, money(refunded)]] : [];
}

function factsOfEntry(language: Language, { at, amount, balanceAfter }: Entry): Fact[] {
  const { accounts } = consoleWords(language);
  const after: Fact[] = balanceAfter === null ? [] : [[accounts.after, money(balanceAfter)]];
  return [[accounts.at, dateTime(at)], [accounts.cost, money(amount)], ...after];
}

function callFacts(language: Language, record: UsageRecord): Fact[] {
  const { accounts } = consoleWords(language);
  return [
    [accounts.at, dateTime(record.at)],
    [accounts.key, <CopyId language={language} id={record.keyId} name={accounts.key} />],
    [accounts.model, record.model],
    [accounts.endpoint, record.endpoint],
    [accounts.channel, record.channel ?? '–'],
    [accounts.outcome, <RequestStatus language={language} status={record.status} />],
    [accounts.firstToken, milliseconds(record.firstTokenMs)],
    [accounts.duration, milliseconds(record.totalMs)],
  ];
}

function billFacts(language: Language, record: UsageRecord): Fact[] {
  const { accounts, customers, frame } = consoleWords(language);
  const { buckets: units } = wordsOf(language).account;
  const counted = ([title, value]: readonly [string, number]): Fact[] => (value > 0 ? [[title, count(value)]] : []);
  const buckets = [
    [accounts.cachedTokens, record.cachedInput],
    [accounts.cacheWrites, record.cacheWrite5m + record.cacheWrite1h],
    [accounts.reasoningTokens, record.reasoning],
    [accounts.images, record.images],
    [units.second, record.seconds],
    [units.character, record.characters],
    [units.search, record.searches],
  ] as const;
  return [
    [accounts.inputTokens, count(record.input)],
    [accounts.outputTokens, count(record.output)],
    ...buckets.flatMap(counted),
    [accounts.estimated, record.estimated ? frame.yes : frame.no],
    [accounts.wasHeld, money(record.held)],
    [accounts.cost, money(record.cost)],
    [customers.upstreamCost, record.upstreamCost === null ? customers.unknown : money(record.upstreamCost)],
    [accounts.after, money(record.balanceAfter)],
    [accounts.priceList, String(record.revision)],
  ];
}

/** As the customer reads it on the receipt, with the name that the API has for it. */
function Rule({ language, record: { rule, cost, held } }: { language: Language; record: UsageRecord }) {
  if (rule === null) return null;
  const { usage } = wordsOf(language).account;
  return (
    <p>
      <Under of={usage.rules[rule](money(cost), money(held))} text={rule} class="id" />
    </p>
  );
}

async function refundRequest(visit: ConsoleVisit): Promise<Response> {
  const { id: accountId = '', request: requestId = '' } = visit.params;
  const { refunds } = visit.page.words;
  const given = readMoney(visit, refunds);
  const once = visit.form.get('once') ?? '';
  if (!visit.once.take(once)) return show({ ...visit, form: new URLSearchParams() }, sentTwice(visit));
  await refund(visit.tools, accountId, { ...given, requestId, actor: ACTOR, once });
  const notice = { text: refunds.didRefund(money(given.amount)) };
  return visit.goWith(requestPath(accountId, requestId), { notice });
}

interface RequestRefundProps extends FormProps {
  /** Address of the request's page. */
  path: string;
  ticket: string;
  charged: Nano;
  refunded: Nano;
}

/**
 * Nothing if the request was free. The refund acts without a question: it is never above what the request cost, and its
 * ticket makes it act once.
 */
function RequestRefund({ context, path, charged, refunded, ticket, form, faults = {} }: RequestRefundProps) {
  const { refunds } = context.words;
  if (charged === 0n) return null;
  const left = charged - refunded;
  const field = fieldsIn({ form, faults });
  return (
    <section class="refund" id="refund">
      <h2>{refunds.refundRequest}</h2>
      {left === 0n ? (
        <p class="faint">{refunds.allRefunded}</p>
      ) : (
        <form method="post" action={`${path}/refund`} data-once>
          <p class="faint">{refunds.refundLead}</p>
          <Hidden fields={{ once: ticket }} />
          <div class="amount-and-reason">
            <TextField
              {...field('amount', formatNtd(left))}
              label={refunds.amount}
              inputmode="decimal"
              hasFocus={faults.amount !== undefined}
              required
            />
            <TextField
              {...field('reason')}
              label={refunds.reason}
              hasFocus={faults.amount === undefined}
              maxlength={200}
              required
            />
            <Submit text={refunds.doRefund} />
          </div>
        </form>
      )}
    </section>
  );
}
