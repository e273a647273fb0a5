// cards issue, list, void. Codes are shown once: only their HMACs are stored.

import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { toCsv } from '../../kit/csv.ts';
import { codeOf } from '../../kit/error-code.ts';
import { formatNtd, moneyFields } from '../../kit/money.ts';
import type { CardKind } from '../../store/rows.ts';
import {
  CARD_STATES,
  type CardStateView,
  type CardView,
  type IssuedCard,
  issueCards,
  listEveryCard,
  MAX_CARDS,
  voidCards,
} from '../actions/cards.ts';
import { readAmount } from '../actions/read-input.ts';
import { publicView } from '../api/public-view.ts';
import { ACTOR, type Command, CommandRefused, requiredOption } from './command.ts';
import { printTable } from './print-table.ts';

export const cardCommands: readonly Command[] = [
  {
    words: 'cards issue',
    takes: '--amount NTD --count N [--kind sold|promo] [--expires DATE] [--note TEXT] [--csv FILE]',
    about: 'issue a batch; the codes are shown once',
    async run({ options, open, databasePlace }) {
      const amount = readAmount(requiredOption(options, 'amount'));
      const count = readCount(requiredOption(options, 'count'));
      const kind = readKind(options.kind ?? 'sold');
      const { csv, expires, note } = options;
      const tools = await open();
      const toRow = ({ serial, code }: IssuedCard) => ({ serial, code, ...moneyFields('amount', amount) });
      let isWritten = false;
      const write = (made: readonly IssuedCard[]) => {
        if (csv === undefined) return;
        writeCsv(csv, made.map(toRow));
        isWritten = true;
      };
      const request = { amount, count, kind, expires, note, actor: ACTOR } as const;
      const { batch, cards } = await issueCards(tools, request, write).catch((error: unknown) => {
        if (csv !== undefined && isWritten) rmSync(csv, { force: true });
        throw error;
      });
      const rows = cards.map(toRow);
      const { batchId } = batch;
      const ifLost = `the codes are lost for batch ${batchId}, void its cards (cards list --batch ${batchId} lists them)`;
      return {
        facts: rows,
        // Names the database: cards in the wrong one look valid until a customer redeems one.
        note: `issued in the database at ${databasePlace}`,
        ...(csv === undefined ? { secret: { ifLost, facts: { batch_id: batchId } } } : {}),
        text:
          csv === undefined
            ? printTable(
                ['serial', 'code', 'NT$'],
                cards.map(({ serial, code }) => [serial, code, formatNtd(amount)]),
              )
            : `${count} cards of NT$${formatNtd(amount)} written to ${csv}`,
      };
    },
  },
  {
    words: 'cards list',
    takes: '[--batch ID] [--state issued|redeemed|voided|expired]',
    about: 'cards by serial; codes cannot be shown again',
    async run({ options, open }) {
      const { batch, state } = options;
      const filter = { batchId: batch, ...(state === undefined ? {} : { state: readState(state) }) };
      const cards = await listEveryCard(await open(), filter);
      return {
        facts: cards.map(publicCard),
        text: printTable(
          ['serial', 'NT$', 'kind', 'state', 'batch', 'redeemed by'],
          cards.map(({ serial, amount, kind, state, batchId, redeemedBy }) => {
            return [serial, formatNtd(amount), kind, state, batchId, redeemedBy ?? ''];
          }),
        ),
      };
    },
  },
  {
    words: 'cards void',
    takes: 'SERIAL…',
    about: 'void cards that are not redeemed',
    async run({ args, open }) {
      const results = await voidCards(await open(), args, ACTOR);
      const failed = results.filter(({ state }) => state !== 'voided');
      const text = `${results.length - failed.length} voided`;
      if (failed.length > 0) {
        const lines = failed.map(({ serial, state }) => `${serial} was not voided: ${state}`);
        throw new CommandRefused(lines.join('\n'), { results }, text);
      }
      return { facts: results, text };
    },
  },
];

function publicCard({ serial, amount, kind, state, batchId, expiresAt, redeemedBy, redeemedAt }: CardView) {
  return publicView({ serial, amount, kind, state, batchId, expiresAt, redeemedBy, redeemedAt });
}

function readCount(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new CommandRefused(`--count must be a whole number from 1 to ${MAX_CARDS}: ${text}`);
  return Number(text);
}

function readKind(text: string): CardKind {
  if (text !== 'sold' && text !== 'promo') throw new CommandRefused(`--kind must be sold or promo: ${text}`);
  return text;
}

function readState(text: string): CardStateView {
  const state = CARD_STATES.find((name) => name === text);
  if (!state) throw new CommandRefused(`--state must be issued, redeemed, voided or expired: ${text}`);
  return state;
}

function writeCsv(file: string, rows: readonly Record<string, unknown>[]): void {
  const fd = makeFile(file);
  try {
    writeFileSync(fd, toCsv(rows, ['serial', 'code', 'amount_ntd']), { flush: true });
  } catch {
    // A partial list of codes that will never be valid.
    rmSync(file, { force: true });
    throw new CommandRefused(`cannot write ${file}`);
  } finally {
    closeSync(fd);
  }
}

function makeFile(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    throw new CommandRefused(codeOf(error) === 'EEXIST' ? `${file} exists already` : `cannot write ${file}`);
  }
}
