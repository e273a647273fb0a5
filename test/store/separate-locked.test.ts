// Operations on locked rows wait in a queue of their own; once the rows are free, later ones use the usual batcher again.

import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { type Batcher, PagesLocked } from '../../src/store/batcher.ts';
import { separateLocked } from '../../src/store/postgres/separate-locked.ts';
import { createGate } from '../support/eventually.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { paid, settling } from './suite/samples.ts';

const ACCOUNT = { accountId: 'acc_1', keyId: 'key_1' };
const PAGE = `wallets ${ACCOUNT.accountId}`;

test('only as long as somebody waits for them', async () => {
  const asked: string[] = [];
  const gate = createGate();
  let isLocked = true;
  const way = (name: string, submit: () => Promise<unknown>) =>
    ({
      submit() {
        asked.push(name);
        return submit();
      },
      idle: () => Promise.resolve(),
      depth: () => 0,
    }) as unknown as Batcher;
  const usual = way('usual', () =>
    isLocked ? Promise.reject(new PagesLocked([PAGE], 'locked')) : Promise.resolve({ state: 'late' }),
  );
  const locked = way('locked', () => gate.opened.then(() => ({ state: 'late' })));
  const { submit, idle } = separateLocked({ clock: createManualClock(), usual, locked });
  const settle = () => submit('settle', settling(paid(ACCOUNT), 1n));

  const first = settle();
  await setImmediate();
  const second = settle();
  isLocked = false;
  gate.open();
  expect(await Promise.all([first, second])).toEqual([{ state: 'late' }, { state: 'late' }]);
  await idle();
  await settle();
  expect(asked).toEqual(['usual', 'locked', 'locked', 'usual']);
});
