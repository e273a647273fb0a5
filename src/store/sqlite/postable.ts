// What the tables would refuse is found before a batch is answered: a batch that is journaled must be one that can be
// posted. Whatever is out of the ordinary here is written to the tables at once, where the database itself judges it.

import type { Database } from 'bun:sqlite';
import { MAX_NANO, type Nano } from '../../kit/money.ts';
import type { Book } from '../book/book.ts';
import type { Decided } from '../book/decide.ts';
import type { AdmitInput, Operation } from '../operations.ts';
import type { BookedLoss, Entry, UsageRecord } from '../rows.ts';

/** How much of the book was there before a batch. */
export interface Mark {
  entries: number;
  usage: number;
  losses: number;
}

export interface PostingCheck {
  isPostable(book: Book, mark: Mark, operations: readonly Operation[], decided: readonly Decided[]): boolean;
  /** What was journaled is posted, or to be read again. */
  forget(): void;
}

/** Sums of many such counts are still far from what a column can hold. */
const MOST_TOKENS = 2 ** 40;

export function createPostingCheck(db: Database): PostingCheck {
  const recorded = db.prepare<unknown, [string]>(
    'SELECT 1 FROM json_each(?) AS one CROSS JOIN usage_records ON request_id = one.value LIMIT 1',
  );
  /** Requests whose records are journaled. */
  const journaled = new Set<string>();

  /** A request has one record. */
  function isNew(requestId: string): boolean {
    if (journaled.has(requestId)) return false;
    journaled.add(requestId);
    return true;
  }

  return {
    isPostable(book, mark, operations, decided) {
      const { entries, usage, losses } = book.added;
      const closed = usage.slice(mark.usage);
      return (
        operations.every((operation, at) => isSound(operation, decided[at])) &&
        entries.slice(mark.entries).every(isEntry) &&
        losses.slice(mark.losses).every((loss) => isLoss(loss) && isDaySound(book, loss)) &&
        closed.every((record) => isRecord(record) && areSound(book, record) && isNew(record.requestId)) &&
        (closed.length === 0 || recorded.get(JSON.stringify(closed.map(({ requestId }) => requestId))) === null)
      );
    },
    forget: () => journaled.clear(),
  };
}

/** Why one failed is told in words, and words change: such a batch is not one to decide again. */
function isSound({ name, input }: Operation, answer: Decided | undefined): boolean {
  if (!answer?.ok) return false;
  if (name === 'admit') return isHold(input, answer.result);
  return (name === 'settle' || name === 'release') && Number.isSafeInteger(input.outcome.at);
}

function isHold(input: AdmitInput, result: Extract<Decided, { ok: true }>['result']): boolean {
  if (!result || !('granted' in result)) return true;
  return (
    isMoney(result.held) &&
    Number.isSafeInteger(input.at) &&
    Number.isSafeInteger(input.revision) &&
    isText(input.requestId) &&
    isText(input.accountId) &&
    isText(input.keyId) &&
    isText(input.nodeId) &&
    isText(input.model) &&
    isText(input.endpoint) &&
    typeof input.stream === 'boolean'
  );
}

function isEntry({ at, amount, balanceAfter }: Entry): boolean {
  return Number.isSafeInteger(at) && amount > 0n && isMoney(amount) && (balanceAfter === null || isMoney(balanceAfter));
}

function isRecord(record: UsageRecord): boolean {
  return (
    isText(record.requestId) &&
    isText(record.accountId) &&
    isText(record.keyId) &&
    Number.isSafeInteger(record.at) &&
    isText(record.model) &&
    (record.channel === null || isText(record.channel)) &&
    isText(record.endpoint) &&
    isText(record.status) &&
    typeof record.stream === 'boolean' &&
    isCount(record.input) &&
    isCount(record.cachedInput) &&
    isCount(record.cacheWrite5m) &&
    isCount(record.cacheWrite1h) &&
    isCount(record.output) &&
    isCount(record.reasoning) &&
    isCount(record.images) &&
    (record.firstTokenMs === null || Number.isSafeInteger(record.firstTokenMs)) &&
    Number.isSafeInteger(record.totalMs) &&
    isMoney(record.held) &&
    isMoney(record.cost) &&
    isMoney(record.balanceAfter) &&
    typeof record.estimated === 'boolean' &&
    Number.isSafeInteger(record.revision) &&
    Array.isArray(record.attempts) &&
    (record.rule === null || isText(record.rule))
  );
}

function isLoss(loss: BookedLoss): boolean {
  return (
    isText(loss.requestId) &&
    Number.isSafeInteger(loss.at) &&
    Number.isSafeInteger(loss.day) &&
    isText(loss.accountId) &&
    isText(loss.model) &&
    (loss.channel === null || isText(loss.channel)) &&
    isText(loss.reason) &&
    loss.amount > 0n &&
    isMoney(loss.amount)
  );
}

function isDaySound(book: Book, { accountId }: BookedLoss): boolean {
  const day = book.peek('lossDays', accountId);
  return !day || isMoney(day.amount);
}

/** What closing a hold takes away from is not less than nothing afterwards. */
function areSound(book: Book, { accountId, keyId }: UsageRecord): boolean {
  const wallet = book.peek('wallets', accountId);
  const budget = book.peek('budgets', keyId);
  if (!wallet || wallet.inFlight < 0 || wallet.freeInFlight < 0) return false;
  return !budget || (isMoney(budget.held) && isMoney(budget.spent));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= MOST_TOKENS;
}

function isMoney(value: Nano): boolean {
  return value >= 0n && value <= MAX_NANO;
}
