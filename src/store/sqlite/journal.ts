// Batches that are answered but not yet posted: what the tables say becomes true with them. Each is one row, with the
// operations as they came to the writer and the answers as they left it.

import type { Database } from 'bun:sqlite';
import type { Book } from '../book/book.ts';
import { decideBatch } from '../book/decide.ts';
import type { Losses, Operation } from '../operations.ts';
import { StoreRefused } from '../refusal.ts';
import { encodeAnswers, hasChargedWhole } from './hot-answers.ts';
import { decodeOperations } from './hot-batches.ts';

export interface Journal {
  append(operations: string, answers: string): void;
  /** Decides all of it again, in order; answers how many operations that were. */
  replay(book: Book): number;
  clear(): void;
}

interface Row {
  operations: string;
  answers: string;
}

export function prepareJournal(db: Database): Journal {
  const insert = db.prepare<unknown, [string, string]>('INSERT INTO journal (operations, answers) VALUES (?, ?)');
  const rows = db.prepare<Row, []>('SELECT operations, answers FROM journal ORDER BY seq');
  const remove = db.prepare('DELETE FROM journal');
  return {
    append: (operations, answers) => void insert.run(operations, answers),
    replay(book) {
      let count = 0;
      for (const row of rows.all()) count += replayRow(book, row);
      return count;
    },
    clear: () => void remove.run(),
  };
}

/** Pages and operations are what they were, so the same rules decide the same. */
function replayRow(book: Book, row: Row): number {
  const { id, operations: read } = decodeOperations(row.operations);
  const operations = hasChargedWhole(row.answers) ? read.map(chargingWhole) : read;
  if (encodeAnswers(id, decideBatch(book, operations)) !== row.answers) {
    throw new StoreRefused(
      'the journal of the database does not come to what was answered: either another version of the program wrote it (start that one once, it posts the journal when it stops), or rows were changed by hand (undo that)',
    );
  }
  return operations.length;
}

function chargingWhole(operation: Operation): Operation {
  if (operation.name === 'settle') return { ...operation, input: withWholeLosses(operation.input) };
  return operation.name === 'release' ? { ...operation, input: withWholeLosses(operation.input) } : operation;
}

function withWholeLosses<Close extends { losses?: Losses | undefined }>(input: Close): Close {
  return input.losses ? { ...input, losses: { ...input.losses, chargedWhole: true } } : input;
}
