// Bugs to plant: each changes one line of the service. A simulation that does not find them proves nothing.

export interface Mutation {
  name: string;
  file: string;
  from: string;
  to: string;
  /** Where `--mutations` begins, if the first seeds do not come to what the bug needs. */
  firstSeed?: number;
}

const CLOSE = 'store/book/close.ts';
const ADMIT = 'store/book/admit.ts';
const BUDGETS = 'store/book/budgets.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a release is skipped',
    file: 'ledger/ledger.ts',
    from: `release: (input: ReleaseInput) => close('release', input)`,
    to: `release: async () => ({ state: 'late' })`,
  },
  {
    name: 'a charge is entered twice',
    file: CLOSE,
    from: `  if (writtenOff > 0n) {`,
    to: `  if (charged > 0n) book.add('entries', { at: outcome.at, kind: 'usage', debit: hold.accountId, credit: 'house:revenue', amount: charged, accountId: hold.accountId, balanceAfter: balance, reference: hold.requestId + '.', note: null, refundOf: null });\n  if (writtenOff > 0n) {`,
  },
  {
    name: 'a settlement leaves its hold open',
    file: CLOSE,
    from: `  book.put('holds', hold.requestId, undefined);\n`,
    to: `  if (charged === 0n) book.put('holds', hold.requestId, undefined);\n`,
  },
  {
    name: 'nodes count as dead while their leases live',
    file: 'server/jobs/sweep-holds.ts',
    from: `watchLeases(tools.clock, LEASE_MS + GRACE_MS)`,
    to: `watchLeases(tools.clock, 0)`,
  },
  {
    name: 'an admission that came too late is not taken back',
    file: 'store/postgres/bound-wait.ts',
    from: `void undo(input as AdmitInput)`,
    to: `void input`,
  },
  {
    name: 'a budget forgets what is held of it',
    file: BUDGETS,
    from: `limit - spent - held)`,
    to: `limit - spent + held - held)`,
  },
  {
    name: 'one call more than allowed is in flight',
    file: ADMIT,
    from: `if (wallet.inFlight >= limits.inFlight)`,
    to: `if (wallet.inFlight > limits.inFlight)`,
  },
  {
    name: 'free calls of a day are not counted',
    file: ADMIT,
    from: `const taken = takeDay(takeRolling(window, at, MINUTE_MS, { keep: 2 * limits.perMinute }), at);`,
    to: `const taken = takeRolling(window, at, MINUTE_MS, { keep: 2 * limits.perMinute });`,
  },
  {
    name: 'the event of a redeemed card is lost',
    file: 'store/book/redeem.ts',
    from: `  book.add('events', { accountId, type: 'card.redeemed', at, data: { card_serial: card.serial, ...amounts } });`,
    to: `  void amounts;`,
  },
  {
    name: 'another run is continued without a comparison',
    file: 'dialects/stream/continue-fresh.ts',
    from: `if (run.hash.digest('hex') !== expected.digest) return undefined;`,
    to: `run.hash.digest('hex');`,
  },
  {
    name: 'a node does not hear of revoked keys',
    file: 'accounts/keys/authenticator.ts',
    from: `if (keysVersion !== version) forget();`,
    to: ``,
  },
  {
    name: 'a prompt reaches the log',
    file: 'relay/close.ts',
    from: `      outcome: outcome.status,\n`,
    to: `      outcome: outcome.status, detail: JSON.stringify(call.document.value),\n`,
  },
  {
    name: 'one token too many is charged',
    file: 'ledger/cost.ts',
    from: `if (quantity) cost += BigInt(quantity) * prices[price];`,
    to: `if (quantity) cost += BigInt(bucket === 'output' ? quantity + 1 : quantity) * prices[price];`,
  },
  {
    name: 'a webhook forgets what it has sent',
    file: 'store/book/webhooks.ts',
    from: `  const cursor = move?.to ?? webhook.cursor;`,
    to: `  const cursor = webhook.cursor;`,
  },
  {
    name: 'a webhook skips an event',
    file: 'accounts/webhooks/deliver-events.ts',
    from: `after: this.#cursor, types`,
    to: `after: this.#cursor + 1, types`,
  },
  {
    name: 'a refused message is not sent again',
    file: 'accounts/webhooks/deliver-events.ts',
    from: `const waitMs = isDelivered || status === GONE ? undefined`,
    to: `const waitMs = isDelivered || status !== null ? undefined`,
  },
  {
    name: 'a failed attempt is no loss',
    file: 'relay/losses.ts',
    from: `  admission.losses = [...admission.losses, loss];`,
    to: `  if (loss.reason === 'hedge') admission.losses = [...admission.losses, loss];`,
  },
  {
    name: 'a replaced run is no loss',
    file: 'relay/losses.ts',
    from: `  return runs.slice(0, -1).map((run, index) => {`,
    to: `  return runs.slice(0, 0).map((run, index) => {`,
  },
  {
    name: 'what a dead node has spent is no loss',
    file: 'store/book/losses.ts',
    from: `  if (hold.amount === 0n) return;`,
    to: `  if (hold.amount >= 0n) return;`,
  },
  {
    name: 'a retired model is served',
    file: 'catalog/schedule.ts',
    from: `return retirement !== undefined && at >= retirement.at;`,
    to: `return retirement !== undefined && at < 0;`,
  },
  {
    name: 'a breaker stays open',
    file: 'channels/breaker.ts',
    from: `return now < this.#probeAt(this.#openUntil);`,
    to: `return this.#probeAt(this.#openUntil) > 0;`,
  },
  {
    name: 'a start discards the journal',
    file: 'store/sqlite/post-journal.ts',
    from: `  if (batches.length === 0) return 0;`,
    to: `  db.run('DELETE FROM journal');\n  if (batches.length >= 0) return 0;`,
  },
  {
    name: 'a commit is answered before it is synced',
    file: 'store/sqlite/open-database.ts',
    from: `  assert(options.unsafeNoSync || synchronous === 2n, 'SQLite runs with synchronous=FULL');`,
    to: `  db.run('PRAGMA synchronous = NORMAL');`,
  },
  {
    name: 'one call more than allowed in a minute',
    file: ADMIT,
    from: `limits.perMinute);\n  if (minute.remaining < 1) return { ok: false, reason: 'rate_limited'`,
    to: `limits.perMinute + 1);\n  if (minute.remaining < 1) return { ok: false, reason: 'rate_limited'`,
  },
  {
    name: 'a node admits although its lease has ended',
    file: ADMIT,
    from: `if (!lease || lease.expiresAt <= input.at) return`,
    to: `if (!lease) return`,
  },
  {
    name: 'a call goes on although its hold was released',
    firstSeed: 27,
    file: 'ledger/ledger.ts',
    from: `    isHeld: (held: Held) => (lease()?.hasLivedSince(held.since) ? Promise.resolve(true) : isStillOpen(held)),`,
    to: `    isHeld: (held: Held) => Promise.resolve(held.since >= 0),`,
  },
  {
    name: 'a late settlement is charged although the hold was released',
    file: CLOSE,
    from: `  if (!hold) return { state: 'late' };\n  assert(input.cost >= 0n`,
    to: `  const late = book.get('wallets', input.accountId);\n  if (!hold && late && input.cost > 0n && late.balance - late.held > input.cost) {\n    const balance = late.balance - input.cost;\n    book.put('wallets', input.accountId, { ...late, ...spendFreeFirst(late, balance) });\n    book.add('entries', { at: input.outcome.at, kind: 'usage', debit: input.accountId, credit: 'house:revenue', amount: input.cost, accountId: input.accountId, balanceAfter: balance, reference: input.requestId, note: null, refundOf: null, paid: 0n, once: null });\n    return { state: 'closed', charged: input.cost, writtenOff: 0n, balance };\n  }\n  if (!hold) return { state: 'late' };\n  assert(input.cost >= 0n`,
  },
  {
    name: 'what a key spends on a day is forgotten',
    file: BUDGETS,
    from: `    spent: spent + charged,\n`,
    to: `    spent,\n`,
  },
  {
    name: 'what a child key spends does not count for its parents',
    file: BUDGETS,
    from: `for (const keyId of hold.chain.ancestors) closeLevel(book, keyId, hold, charged, at);`,
    to: `for (const keyId of hold.chain.ancestors) closeLevel(book, keyId, hold, 0n, at);`,
  },
  {
    name: 'without a balance there are as many free calls as with one',
    file: ADMIT,
    from: `const perDay = wallet.balance > 0n ?`,
    to: `const perDay = wallet.balance >= 0n ?`,
  },
  {
    name: 'the answer to a redeem is not remembered',
    file: 'store/book/redeem.ts',
    from: '  remember(book, input, `$' + '{balance}`);\n',
    to: ``,
  },
  {
    name: 'an admission that is taken back keeps its slots',
    file: CLOSE,
    from: `  giveBackSlots(book, hold, input.freeAddress);\n  return {`,
    to: '  return {',
  },
  {
    name: 'more than the hold is charged',
    file: CLOSE,
    from: 'const charged = minNano(cost + charge, hold.amount);',
    to: 'const charged = cost + charge;',
  },
  {
    name: 'a sweep keeps the slots of its call',
    file: CLOSE,
    from: `  giveBackSlots(book, hold);\n`,
    to: '',
  },
  {
    name: 'a webhook gets the events of other accounts',
    file: 'store/event-reads.ts',
    from: `half(['account_id = ?', accountId])`,
    to: `half(['account_id <> ?', accountId.slice(1)])`,
  },
  {
    name: 'a message is signed with another secret',
    file: 'kit/webhook-signature.ts',
    from: `Buffer.from(secret.slice(PREFIX.length), 'base64')`,
    to: `Buffer.from(secret, 'base64')`,
  },
  {
    name: 'losses beyond a swept hold are booked twice',
    file: 'ledger/ledger.ts',
    from: `    await store.commit('bookLosses', { requestId, accountId, items, at: outcome.at });`,
    to: `    for (let i = 0; i < 2; i++) await store.commit('bookLosses', { requestId, accountId, items, at: outcome.at });`,
  },
  {
    name: 'losses beyond a swept hold are not booked',
    file: 'ledger/ledger.ts',
    from: `if (result.state === 'late') await bookLate(input);`,
    to: 'void bookLate;',
  },
  {
    name: 'a loss is booked twice',
    file: 'store/book/losses.ts',
    from: '  for (const item of booked) if (item.amount > 0n) addLoss(book, hold, item, today.day, at);',
    to: `  for (const item of [...booked, ...booked.filter(({ reason }) => !isGuarded(reason))]) {\n    if (item.amount > 0n) addLoss(book, hold, item, today.day, at);\n  }`,
  },
  {
    name: 'a card of another account counts as redeemed',
    file: 'store/book/redeem.ts',
    from: 'if (card?.redeemedBy === accountId && wallet) {',
    to: 'if (card?.redeemedBy && wallet) {',
  },
  {
    name: 'the answer to a registration is not remembered',
    file: 'store/book/register.ts',
    from: `  rememberReplay(book, input.replay, { accountId, keyId: key.keyId, told: announced }, at);\n`,
    to: `  void [rememberReplay, announced];\n`,
  },
  {
    name: 'the answer to a new key is not remembered',
    file: 'store/book/keyring.ts',
    from: `  putLimits(book, key);\n  rememberReplay(book, replay, remembered(key), at);\n`,
    to: `  putLimits(book, key);\n`,
  },
  {
    name: 'what a session spends is forgotten',
    file: BUDGETS,
    from: 'const next = { spent: spent + charged, held: held - amount, touchedAt',
    to: 'const next = { spent, held: held - amount, touchedAt',
  },
  {
    name: 'calls of a key are not counted in its minute',
    file: 'store/book/key-rates.ts',
    from: 'take(book, requestsWindow(keyId), at, requestsPerMinute, 1)',
    to: 'take(book, requestsWindow(keyId), at, requestsPerMinute, 0)',
  },
  {
    name: 'paid balance is never spent',
    file: 'store/book/money.ts',
    from: 'const left = minNano(paid, balance);',
    to: `const left = minNano(balance, paid);\n  if (left < paid && left > 0n) return { balance, paid: left, paidSpent };`,
  },
];

/** Planted by tests: they break the service and no invariant, so a simulation must report a crash. */
export const BREAKAGES: readonly Mutation[] = [
  {
    name: 'an admission throws',
    file: 'relay/admit.ts',
    from: `  const startedAt = clock.monotonic();\n`,
    to: `  const startedAt = clock.monotonic();\n  if (startedAt > 20_000) throw new Error('planted');\n`,
  },
  {
    name: 'a settlement throws',
    file: CLOSE,
    from: `  assert(input.cost >= 0n, 'a cost is not negative');`,
    to: `  assert(input.cost < 0n, 'planted');`,
  },
  {
    name: 'the service does not start',
    file: 'server/gateway.ts',
    from: `  const identity = {`,
    to: `  throw new Error('planted');\n  const identity = {`,
  },
];
