/** @jsxImportSource hono/jsx */
// The receipt of one request: what was counted, at which price, and every try it took.

import { REQUEST_ID, type Receipt, readReceipt } from '../../accounts/usage/show-receipt.ts';
import { DOCUMENT_NAMES, PRICE_ORDER } from '../../catalog/listed-prices.ts';
import { Fault } from '../../faults/fault.ts';
import { ntdNumber } from '../../kit/money.ts';
import { LISTED_UNITS } from '../../kit/prices.ts';
import { KEPT_PER_ACCOUNT, REFUSED_DAYS } from '../../store/refusals.ts';
import { count, dateTime, milliseconds, money, priceNumber } from '../format.ts';
import { type Language, wordsOf } from '../language.ts';
import type { PageContext } from '../page.tsx';
import { tierName } from '../pages/price-rules.ts';
import { Attempts, statusName } from '../parts/attempts.tsx';
import { LinkLine } from '../parts/button.tsx';
import { CopyId } from '../parts/code-block.tsx';
import { type Fact, Facts, figure, Table } from '../parts/table.tsx';
import type { SiteTools } from '../tools.ts';
import { AccountPage, tabPath } from './frame.tsx';
import { RefusedPage, readRefused } from './refused.tsx';
import { readKeyNames } from './usage.tsx';
import { Ending } from './usage-list.tsx';
import type { SignedVisit, Visits } from './visits.tsx';

export function addReceipt(visits: Visits, tools: SiteTools): void {
  visits.signed('get', '/account/receipts/:id', async (visit) => {
    const [facts, keyNames] = await Promise.all([findReceipt(tools, visit), readKeyNames(tools, visit.session)]);
    if (!facts) return showRefused(tools, visit, keyNames);
    const { keyId } = facts.record;
    return visit.show(<ReceiptPage context={visit.page} facts={facts} keyName={keyNames.get(keyId) ?? keyId} />);
  });
}

/** A refused request has no receipt: its page says why. */
async function showRefused(tools: SiteTools, visit: SignedVisit, keyNames: ReadonlyMap<string, string>) {
  const id = visit.params.id ?? '';
  const [refused] = REQUEST_ID.test(id) ? await readRefused(tools, visit.session, id) : [];
  if (!refused) return visit.show(<NoReceiptPage context={visit.page} />, { status: 404 });
  return visit.show(<RefusedPage context={visit.page} refused={refused} keyNames={keyNames} />);
}

function findReceipt(tools: SiteTools, { session, params }: SignedVisit): Promise<Receipt | undefined> {
  return readReceipt(tools, session, params.id ?? '').catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  });
}

function ReceiptPage({ context, facts, keyName }: { context: PageContext; facts: Receipt; keyName: string }) {
  const { language } = context;
  const { pricing, account } = context.words;
  const { overview, usage } = account;
  const { record } = facts;
  const rows: Fact[] = [
    [usage.requestId, <CopyId language={language} id={record.requestId} name={usage.requestId} />],
    [usage.time, dateTime(record.at)],
    [overview.accountId, <CopyId language={language} id={record.accountId} name={overview.accountId} />],
    [usage.key, keyName],
    [usage.model, record.model],
    [usage.channel, record.channel ?? '–'],
    [usage.status, statusName(language, record.status)],
    [usage.stream, record.stream ? usage.yes : usage.no],
    [usage.firstToken, milliseconds(record.firstTokenMs)],
    [usage.total, milliseconds(record.totalMs)],
    [usage.priceList, <a href="/pricing#history">{pricing.listNumber(record.revision)}</a>],
    ...(facts.tier ? [[usage.priceTier, tierName(language, facts.tier)] as const] : []),
    ...(record.serviceTier === null ? [] : [[usage.serviceTier, record.serviceTier] as const]),
    [usage.held, money(record.held)],
    [usage.after, money(record.balanceAfter)],
    ...(facts.refunded > 0n ? [[account.entryKinds.refund, money(facts.refunded)] as const] : []),
  ];
  return (
    <AccountPage context={context} tab="usage" title={usage.receipt}>
      <Ending language={language} record={record} />
      <div class="two">
        <Facts facts={rows} look="lines" />
        <div>
          <Lines language={language} facts={facts} />
          <Why language={language} facts={facts} />
          <h2>{usage.attempts}</h2>
          <Attempts language={language} attempts={record.attempts} status={record.status} />
        </div>
      </div>
      <WayBack context={context} />
    </AccountPage>
  );
}

/** Not found, or not yet: the list that one came from is still there. */
function NoReceiptPage({ context }: { context: PageContext }) {
  const { usage, refusals } = context.words.account;
  const text = refusals.notFound(REFUSED_DAYS, KEPT_PER_ACCOUNT);
  return (
    <AccountPage context={context} tab="usage" title={usage.receipt} notice={{ text, isBad: true }}>
      <WayBack context={context} />
    </AccountPage>
  );
}

function WayBack({ context }: { context: PageContext }) {
  const { usage } = context.words.account;
  return <LinkLine look="back" href={`${tabPath('usage')}${context.query}`} text={usage.back} />;
}

function Why({ language, facts: { record } }: PartProps) {
  const { usage } = wordsOf(language).account;
  const { rule, cost, held } = record;
  // For a request that failed, the text above says this.
  if (rule === null || record.status !== 'ok') return null;
  return (
    <>
      <h2>{usage.why}</h2>
      <p>{usage.rules[rule](money(cost), money(held))}</p>
    </>
  );
}

interface PartProps {
  language: Language;
  facts: Receipt;
}

function Lines({ language, facts: { record, lines } }: PartProps) {
  const { usage } = wordsOf(language).account;
  const notes = [
    record.reasoning > 0 ? usage.withReasoning(count(record.reasoning)) : '',
    record.estimated ? usage.whyEstimated : '',
  ].filter((note) => note !== '');
  return (
    <>
      <Table label={usage.receipt} columns={[usage.line, figure(usage.amount)]} class="flows">
        {lines.map((line) => (
          <tr>
            <td>
              {lineName(language, record, line.bucket)}
              <UnitPrice language={language} line={line} />
            </td>
            <td class="right number">{money(line.amount)}</td>
          </tr>
        ))}
        <tr class="sum">
          <th scope="row">{usage.cost}</th>
          <td class="right number">
            <strong>{money(record.cost)}</strong>
          </td>
        </tr>
      </Table>
      {notes.length > 0 ? <p class="faint">{notes.join(' · ')}</p> : null}
    </>
  );
}

/** Explains why something is not charged: a charge ends at the reserved amount, and without output there is none. */
function lineName(language: Language, record: Receipt['record'], bucket: string): string {
  const { pricing, account } = wordsOf(language);
  const { usage, buckets } = account;
  if (bucket === 'written_off') return usage[whyWrittenOff(record)];
  if (bucket.startsWith(TOOL)) return pricing.toolCall(bucket.slice(TOOL.length));
  const names: Readonly<Record<string, string>> = buckets;
  return names[bucket] ?? bucket;
}

/** Before the name of a tool, in its line. */
const TOOL = 'tool:';

/** Records from before there were rules have only their figures. */
function whyWrittenOff({ rule, cost, held }: Receipt['record']): 'aboveHeld' | 'noOutput' | 'notCharged' {
  if (cost >= held) return 'aboveHeld';
  return rule === null || rule === 'empty_answer' ? 'noOutput' : 'notCharged';
}

/** As the price list writes it, to be compared with it. What is not charged was never counted in units. */
function UnitPrice({ language, line }: { language: Language; line: Receipt['lines'][number] }) {
  const { usage } = wordsOf(language).account;
  const { bucket, quantity, unitPrice } = line;
  if (bucket === 'written_off' || bucket === 'loss_guard') return null;
  const units = unitsOf(bucket);
  const price = `NT$${priceNumber(ntdNumber(unitPrice * units))}`;
  const say = units === 1n ? undefined : units === LISTED_UNITS.search ? usage.perThousand : usage.perMillion;
  return (
    <span class="under number">
      {count(quantity)} × {say ? say(price) : price}
    </span>
  );
}

/** How many units the listed price of a bucket is for. A call of a tool has its own price. */
function unitsOf(bucket: string): bigint {
  const name = PRICE_ORDER.find((one) => DOCUMENT_NAMES[one] === bucket);
  return name ? LISTED_UNITS[name] : 1n;
}
