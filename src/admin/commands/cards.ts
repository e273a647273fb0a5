// cards issue, list, void. Codes are shown once, here: afterwards only their HMACs exist.

import { rmSync, writeFileSync } from 'node:fs';
import { createCardCode, createSerial } from '../../cards/card-code.ts';
import { formatNtd, moneyFields } from '../../kit/money.ts';
import { DAY_MS, taipeiDayStart } from '../../kit/taipei.ts';
import type { Card, CardKind, CardState } from '../../store/rows.ts';
import { toCsv } from '../../usage/usage-csv.ts';
import { type Command, type CommandTools, noArguments, Refused, requiredOption, WrongUsage } from '../command.ts';
import { printTable } from '../print-table.ts';
import { readAmount } from '../read-amount.ts';

const MAX_CARDS = 10_000;
const LIST_LIMIT = 10_000;

export const cardCommands: readonly Command[] = [
  {
    words: 'cards issue',
    takes: '--amount NTD --count N [--kind sold|promo] [--expires DATE] [--note TEXT] [--csv FILE]',
    about: 'issue a batch; the codes are shown once',
    options: ['amount', 'count', 'kind', 'expires', 'note', 'csv'],
    async run({ args, options, open }) {
      noArguments(args);
      const amount = readAmount(requiredOption(options, 'amount'));
      const count = readCount(requiredOption(options, 'count'));
      const kind = readKind(options.kind ?? 'sold');
      const tools = await open();
      const expiresAt = readExpiry(options.expires, kind, tools.clock.now());
      const cards = Array.from({ length: count }, () => ({
        serial: createSerial(tools.random),
        code: createCardCode(tools.random),
      }));
      const rows = cards.map(({ serial, code }) => ({ serial, code, ...moneyFields('amount', amount) }));
      // First the file, then the cards: no card is good whose code nobody has.
      if (options.csv !== undefined) writeCsv(options.csv, rows);
      try {
        await issueCards(tools, cards, { amount, count, kind, expiresAt, note: options.note ?? null });
      } catch (error) {
        if (options.csv !== undefined) rmSync(options.csv, { force: true });
        throw error;
      }
      return {
        facts: rows,
        text:
          options.csv === undefined
            ? printTable(
                ['serial', 'code', 'NT$'],
                cards.map(({ serial, code }) => [serial, code, formatNtd(amount)]),
              )
            : `${count} cards of NT$${formatNtd(amount)} written to ${options.csv}`,
      };
    },
  },
  {
    words: 'cards list',
    takes: '[--batch ID] [--state issued|redeemed|voided]',
    about: 'cards by serial; codes cannot be shown again',
    options: ['batch', 'state'],
    async run({ args, options, open }) {
      noArguments(args);
      const { store, clock } = await open();
      const cards = await store.read.cards({
        limit: LIST_LIMIT,
        ...(options.batch === undefined ? {} : { batchId: options.batch }),
        ...(options.state === undefined ? {} : { state: readState(options.state) }),
      });
      const facts = cards.map((card) => publicCard(card, clock.now()));
      return {
        facts,
        text: printTable(
          ['serial', 'NT$', 'kind', 'state', 'batch', 'redeemed by'],
          cards.map((card, index) => [
            card.serial,
            formatNtd(card.amount),
            card.kind,
            facts[index]?.state ?? card.state,
            card.batchId,
            card.redeemedBy ?? '',
          ]),
        ),
      };
    },
  },
  {
    words: 'cards void',
    takes: 'SERIAL…',
    about: 'make cards worthless that are not redeemed',
    options: [],
    async run({ args, open }) {
      if (args.length === 0) throw new WrongUsage('at least one SERIAL is needed');
      const { store } = await open();
      const cards = await store.read.cards({ serials: args, limit: args.length });
      const results = await Promise.all(
        args.map(async (serial) => {
          const card = cards.find((one) => one.serial === serial);
          return { serial, state: card ? (await store.commit('void', { hash: card.hash })).state : 'unknown' };
        }),
      );
      const failed = results.filter(({ state }) => state !== 'voided');
      if (failed.length > 0) {
        throw new Refused(failed.map(({ serial, state }) => `${serial} was not voided: ${state}`).join('\n'), {
          results,
        });
      }
      return { facts: results, text: `${results.length} voided` };
    },
  },
];

interface Issue {
  amount: bigint;
  count: number;
  kind: CardKind;
  expiresAt: number | null;
  note: string | null;
}

async function issueCards(tools: CommandTools, cards: readonly { serial: string; code: string }[], issue: Issue) {
  const { store, clock, newId, hashCard } = tools;
  await store.commit('issue', {
    batch: { batchId: newId('batch'), createdAt: clock.now(), ...issue },
    cards: cards.map(({ serial, code }) => ({ serial, hash: hashCard(code) })),
  });
}

function publicCard(card: Card, now: number) {
  const isExpired = card.state === 'issued' && card.expiresAt !== null && card.expiresAt <= now;
  return {
    serial: card.serial,
    ...moneyFields('amount', card.amount),
    kind: card.kind,
    state: isExpired ? 'expired' : card.state,
    batch_id: card.batchId,
    expires_at: card.expiresAt === null ? null : new Date(card.expiresAt).toISOString(),
    redeemed_by: card.redeemedBy,
    redeemed_at: card.redeemedAt === null ? null : new Date(card.redeemedAt).toISOString(),
  };
}

function readCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_CARDS) {
    throw new Refused(`--count must be a whole number from 1 to ${MAX_CARDS}: ${text}`);
  }
  return count;
}

function readKind(text: string): CardKind {
  if (text !== 'sold' && text !== 'promo') throw new Refused(`--kind must be sold or promo: ${text}`);
  return text;
}

function readState(text: string): CardState {
  if (text !== 'issued' && text !== 'redeemed' && text !== 'voided') {
    throw new Refused(`--state must be issued, redeemed or voided: ${text}`);
  }
  return text;
}

/** A date counts to its end in Taipei. Cards that were sold never expire. */
function readExpiry(text: string | undefined, kind: CardKind, now: number): number | null {
  if (text === undefined) return null;
  if (kind === 'sold') throw new Refused('--expires is for promo cards: sold cards never expire');
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  // The calendar rolls 30 February over into March; an operator who typed it meant neither.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  const end = isDay ? taipeiDayStart(day.getTime() / DAY_MS + 1) : 0;
  if (end <= now) throw new Refused(`--expires must be a date to come, such as 2027-12-31: ${text}`);
  return end;
}

function writeCsv(file: string, rows: readonly Record<string, unknown>[]): void {
  try {
    writeFileSync(file, toCsv(rows, ['serial', 'code', 'amount_ntd']), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new Refused(exists ? `${file} exists already` : `cannot write ${file}`);
  }
}
