// The customers of the simulated service. Each does one thing after another, through whichever node answers, and
// remembers what it was told. A call may end at any moment: the client hangs up, the node dies, an answer gets lost.

import { type Facts, noFacts } from '../torture/facts.ts';
import type { Cluster, SimulatedNode } from './cluster.ts';
import type { Dice } from './dice.ts';
import { RANKER } from './document.ts';
import { currentPrompt } from './open-holds.ts';
import { FICKLE, wordsOf } from './vendors.ts';
import type { Violation } from './violation.ts';
import type { World } from './world.ts';

export const SECRET = 'secretwords';

interface Customer {
  accountId: string;
  key: string;
  keys: OwnKey[];
  webhooks: number;
  /** Has spent everything, and redeemed no card since. */
  isBroke: boolean;
}

/** A key that a customer made. */
export interface OwnKey {
  keyId: string;
  key: string;
  /** Its budget in total. */
  total: bigint | undefined;
  parent: OwnKey | undefined;
  delegates: boolean;
  revokedAt: number | undefined;
}

/** A key and those above it. */
export function lineOf(key: OwnKey): OwnKey[] {
  return key.parent ? [key, ...lineOf(key.parent)] : [key];
}

/** When it was revoked, or one above it. */
function revocationOf(key: OwnKey): number | undefined {
  const times = lineOf(key).flatMap(({ revokedAt }) => revokedAt ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

interface Sending {
  method: string;
  path: string;
  key?: string | undefined;
  body?: unknown;
  idempotencyKey?: string | undefined;
  session?: string | undefined;
  /** The number of its prompt. */
  prompt?: string;
  /** The client hangs up after so many bytes of the body. */
  leavesAfter?: number | undefined;
}

export interface ClientOptions {
  clients: number;
  cards: string[];
  /** When no further call begins. */
  until: number;
  /** The chance that a request or an answer gets lost between client and node. */
  loss(): number;
}

interface Answer {
  status: number;
  headers: Headers;
  /** As far as it came. */
  text: string;
  isWhole: boolean;
}

const CHAT = '/v1/chat/completions';
/** Of so many customers, one spends all credit first. */
const BROKE_EVERY = 3;
/** Some wait until a node that stood still goes on. */
const PATIENCE_MS = [60_000, 60_000, 200_000];
const PAUSE_MS = 4_000;
const LONG_ANSWER_BYTES = 3_000;
const REPEATS = 'a call that is repeated with its Idempotency-Key is answered as the first was';
const ONE_CREDIT = 'a card is credited to one account';
const SERVES_ALL = 'at the end, each node serves each model that is not retired';

export class Clients {
  readonly facts: Facts = noFacts();
  readonly violations: Violation[] = [];
  /** Answers that only a bug of the service gives, and bugs of the simulation. */
  readonly crashes: string[] = [];
  /** The request of each prompt that was answered. */
  readonly requestOf = new Map<string, string>();
  /** The paid prompts of each account. */
  readonly promptsOf = new Map<string, string[]>();
  /** Completed paid answers. */
  readonly paid: { requestId: string; number: string; cost: bigint }[] = [];
  /** Prompts whose whole answer has come. */
  readonly whole = new Set<string>();
  /** Of all customers. */
  readonly ownKeys: OwnKey[] = [];
  /** Calls of a retired model that were served. */
  readonly servedRetired: string[] = [];
  readonly counts = { calls: 0, whole: 0, served: 0, faults: 0, broken: 0 };
  readonly reached = { 'repeated calls': 0, 'cards tried again': 0, 'accounts with a balance of zero': 0 };
  readonly #redeemed: { code: string; by: Customer }[] = [];
  #prompts = 0;
  #repeatable = 0;
  #running = 0;
  readonly #world: World;
  readonly #cluster: Cluster;
  readonly #options: ClientOptions;

  constructor(world: World, cluster: Cluster, options: ClientOptions) {
    this.#world = world;
    this.#cluster = cluster;
    this.#options = options;
  }

  get areDone(): boolean {
    return this.#running === 0;
  }

  start(): void {
    for (let index = 0; index < this.#options.clients; index++) {
      this.#running++;
      this.#live(this.#world.diceFor(`client ${index}`), index % BROKE_EVERY === 0).then(
        () => this.#running--,
        (error: Error) => {
          this.#running--;
          this.crashes.push(`a client failed: ${error.stack}`);
        },
      );
    }
  }

  /** When everything works again, each node serves each model that is not retired. */
  async tryAll(): Promise<void> {
    const dice = this.#world.diceFor('the end');
    for (const node of this.#cluster.alive()) {
      const ask = (sending: Omit<Sending, 'method'>) =>
        this.#receive(node, new AbortController(), { method: 'POST', ...sending });
      const registered = await ask({ path: '/api/agent/register', body: {} });
      if (registered?.status !== 201) {
        this.#violate(SERVES_ALL, `${node.name} registers nobody: ${registered?.status}`);
        continue;
      }
      const { account_id: accountId, api_key: key } = JSON.parse(registered.text);
      for (const model of ['auto:free', 'first', 'second']) {
        const number = this.#nextPrompt(accountId, model);
        const messages = [{ role: 'user', content: `${SECRET} ${number} steady ${dice.between(1, 30)}` }];
        const body = { model, messages, max_tokens: 100 };
        const answer = await ask({ path: CHAT, key, body, prompt: number });
        if (model === 'second' && this.#isRetiredFor(node)) {
          if (answer?.status === 200) this.#violate(SERVES_ALL, `${node.name} serves a retired model`);
          continue;
        }
        if (answer?.status === 200 && answer.isWhole) continue;
        this.#violate(SERVES_ALL, `${node.name} does not serve ${model}: ${answer?.status} ${answer?.text}`);
      }
    }
  }

  /** By the clock of the node. */
  #isRetiredFor({ machine }: SimulatedNode): boolean {
    const { retiresAt } = this.#cluster;
    return retiresAt !== undefined && this.#world.now + machine.wallOffset >= retiresAt;
  }

  /** Remembers whose prompt it is, if it is paid for. */
  #nextPrompt(accountId: string, model: string): string {
    const number = `p${this.#prompts++}`;
    if (model !== 'auto:free') this.promptsOf.set(accountId, [...(this.promptsOf.get(accountId) ?? []), number]);
    return number;
  }

  async #live(dice: Dice, spendsAll: boolean): Promise<void> {
    let customer: Customer | undefined;
    while (this.#world.now < this.#options.until) {
      await this.#world.sleep(dice.between(0, PAUSE_MS));
      customer ??= await this.#register(dice, spendsAll);
      if (!customer) continue;
      const choice = dice.between(0, 99);
      if (choice < (customer.isBroke ? 2 : 8)) await this.#redeem(dice, customer);
      else if (choice < 14) await this.#makeKey(dice, customer);
      else if (choice < 16) await this.#revokeKey(dice, customer);
      else if (choice < 18) await this.#call(dice, { method: 'GET', path: '/api/me', key: customer.key });
      else if (choice < 20) await this.#call(dice, { method: 'GET', path: '/api/usage', key: customer.key });
      else if (choice < 22) await this.#makeWebhook(dice, customer);
      else if (choice < (customer.isBroke ? 60 : 30)) await this.#chat(dice, customer, 'auto:free');
      else await this.#together(dice, customer);
    }
  }

  /** Some customers call several times at once. */
  async #together(dice: Dice, customer: Customer): Promise<void> {
    const calls = dice.isLuck(0.3) ? dice.between(2, 8) : 1;
    const model = dice.pick(['first', 'second']);
    const own = customer.keys.length > 0 && dice.isLuck(0.5) ? dice.pick(customer.keys) : undefined;
    await Promise.all(Array.from({ length: calls }, () => this.#chat(dice, customer, model, own)));
  }

  async #register(dice: Dice, spendsAll: boolean): Promise<Customer | undefined> {
    const answer = await this.#callOnce(dice, { method: 'POST', path: '/api/agent/register', body: {} });
    if (answer?.status !== 201 || !answer.isWhole) return undefined;
    const { account_id: accountId, api_key: key } = JSON.parse(answer.text);
    this.facts.accounts.push({ accountId, key });
    const customer = { accountId, key, keys: [], webhooks: 0, isBroke: false };
    if (spendsAll) await this.#spendAll(dice, customer);
    return customer;
  }

  /** By one call that costs all trial credit; not every one succeeds. */
  async #spendAll(dice: Dice, customer: Customer): Promise<void> {
    const { accountId, key } = customer;
    const prompt = this.#nextPrompt(accountId, RANKER);
    const body = { model: RANKER, query: `${SECRET} ${prompt}`, documents: ['one'] };
    const answer = await this.#call(dice, { method: 'POST', path: '/v1/rerank', key, body, prompt });
    if (answer?.status !== 200 || !answer.isWhole) return;
    const requestId = answer.headers.get('x-request-id') ?? '';
    const cost = answer.headers.get('x-svc-cost-ntd');
    if (cost === null) return;
    this.facts.requests.push({ requestId, accountId, cost: nanoOf(cost) });
    customer.isBroke = true;
    this.reached['accounts with a balance of zero']++;
  }

  async #redeem(dice: Dice, customer: Customer): Promise<void> {
    const { accountId, key } = customer;
    if (dice.isLuck(0.1)) await this.#tryRedeemed(dice, customer);
    const code = this.#options.cards.pop();
    if (code === undefined) return;
    const sending = { method: 'POST', path: '/api/redeem', key, body: { code } };
    // The same card by the same account is one credit, also without an Idempotency-Key.
    const answer = dice.isLuck(0.5) ? await this.#callOnce(dice, sending) : await this.#insist(dice, sending);
    if (answer?.status !== 200) return;
    customer.isBroke = false;
    this.#redeemed.push({ code, by: customer });
    const { card_serial: serial, amount_nano: amount } = JSON.parse(answer.text);
    this.facts.redeems.push({ accountId, serial, amount: BigInt(amount) });
  }

  /** A card that another customer has redeemed. */
  async #tryRedeemed(dice: Dice, customer: Customer): Promise<void> {
    const others = this.#redeemed.filter(({ by }) => by !== customer);
    if (others.length === 0) return;
    const { code, by } = dice.pick(others);
    const answer = await this.#call(dice, { method: 'POST', path: '/api/redeem', key: customer.key, body: { code } });
    if (!answer?.isWhole) return;
    this.reached['cards tried again']++;
    if (answer.status === 200) this.#violate(ONE_CREDIT, `${by.accountId} and ${customer.accountId}: ${answer.text}`);
  }

  /** Until it is answered. */
  async #insist(dice: Dice, sending: Sending): Promise<Answer | undefined> {
    for (let tries = 0; tries < 4; tries++) {
      const answer = await this.#call(dice, sending);
      if (answer?.isWhole && answer.status < 500) return answer;
    }
    return undefined;
  }

  /** With an Idempotency-Key, until it is answered, and then once more: nobody can tell the second answer from the first. */
  async #callOnce(dice: Dice, call: Sending): Promise<Answer | undefined> {
    const sending = { ...call, idempotencyKey: `nothing-happens-twice-${this.#repeatable++}` };
    const answer = await this.#insist(dice, sending);
    if (!answer || answer.status >= 300) return answer;
    const repeated = await this.#call(dice, sending);
    if (!repeated?.isWhole || repeated.status >= 500) return answer;
    this.reached['repeated calls']++;
    if (repeated.text !== answer.text) this.#violate(REPEATS, `${call.path}: ${repeated.text} after ${answer.text}`);
    return answer;
  }

  /** Some for all keys below it, some below another one, of which the budget may be the lower one. */
  async #makeKey(dice: Dice, customer: Customer): Promise<void> {
    const thousandths = dice.pick([3, 6, 50]);
    const span = dice.pick(['day', 'month', 'total']);
    const delegates = dice.isLuck(0.5);
    const above = customer.keys.filter((key) => key.delegates && revocationOf(key) === undefined);
    const parent = above.length > 0 && dice.isLuck(0.6) ? dice.pick(above) : undefined;
    const body = {
      name: 'simulated',
      budgets: { [`${span}_ntd`]: thousandths / 1_000, ...(dice.isLuck(0.4) && { session_ntd: 0.003 }) },
      ...(dice.isLuck(0.3) && { rates: { requests_per_minute: dice.pick([2, 4]) } }),
      ...(delegates && { delegate: true }),
      ...(parent && { parent_id: parent.keyId }),
    };
    const sending = { method: 'POST', path: '/api/keys', key: customer.key, body };
    const answer = dice.isLuck(0.5) ? await this.#callOnce(dice, sending) : await this.#call(dice, sending);
    if (answer?.status !== 201 || !answer.isWhole) return;
    const { api_key: key, id: keyId } = JSON.parse(answer.text);
    this.facts.keys.push(key);
    const total = span === 'total' ? BigInt(thousandths) * 1_000_000n : undefined;
    const made = { keyId, key, total, parent, delegates, revokedAt: undefined };
    this.ownKeys.push(made);
    customer.keys.push(made);
  }

  /** At most a few: lost answers are not repeated. */
  async #makeWebhook(dice: Dice, customer: Customer): Promise<void> {
    if (customer.webhooks >= 2) return;
    customer.webhooks++;
    const url = `https://hooks.example/${customer.accountId}/${customer.webhooks}`;
    const answer = await this.#call(dice, { method: 'POST', path: '/api/webhooks', key: customer.key, body: { url } });
    if (answer?.status === 201 && answer.isWhole)
      this.#cluster.receivers.secrets.set(url, JSON.parse(answer.text).secret);
  }

  async #revokeKey(dice: Dice, customer: Customer): Promise<void> {
    const live = customer.keys.filter((key) => revocationOf(key) === undefined);
    if (live.length === 0) return;
    const made = dice.pick(live);
    const path = `/api/keys/${made.keyId}`;
    const answer = await this.#call(dice, { method: 'DELETE', path, key: customer.key });
    if (answer && answer.status < 300) made.revokedAt = this.#world.now;
  }

  async #chat(dice: Dice, customer: Customer, model: string, own?: OwnKey): Promise<void> {
    const stream = dice.isLuck(0.7);
    const number = this.#nextPrompt(customer.accountId, model);
    const kind = dice.isLuck(0.2) ? FICKLE : 'steady';
    const prompt = `${SECRET} ${number} ${kind} ${dice.between(1, 30)}`;
    const begunAt = this.#world.now;
    const revokedAt = own && revocationOf(own);
    const body = {
      model,
      temperature: 0,
      max_tokens: dice.pick([40, 100, 400]),
      messages: [{ role: 'user', content: prompt }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    };
    const leavesAfter = dice.isLuck(0.15) ? dice.between(0, LONG_ANSWER_BYTES) : undefined;
    const { retiresAt } = this.#cluster;
    const key = own?.key ?? customer.key;
    const session = own && dice.pick(['one', 'two']);
    const answer = await this.#call(dice, {
      method: 'POST',
      path: CHAT,
      key,
      body,
      prompt: number,
      leavesAfter,
      session,
    });
    if (!answer) return;
    const requestId = answer.headers.get('x-request-id') ?? '';
    if (model !== 'auto:free') this.requestOf.set(number, requestId);
    if (revokedAt !== undefined && answer.status === 200 && begunAt - revokedAt > 5_000) {
      this.#violate('a revoked key does not work', number);
    }
    if (answer.status !== 200) return;
    this.counts.served++;
    const isRetired = retiresAt !== undefined && begunAt > retiresAt + 5_000;
    if (model === 'second' && isRetired && retiresAt === this.#cluster.retiresAt) this.servedRetired.push(number);
    const cost = stream ? this.#readStream(answer, prompt, requestId) : this.#readWhole(answer, prompt);
    if (cost === undefined) return;
    this.facts.requests.push({ requestId, accountId: customer.accountId, cost });
    if (model !== 'auto:free') this.paid.push({ requestId, number, cost });
  }

  /** What it says that it costs: nothing where the settlement took too long. */
  #readWhole({ text, isWhole, headers }: Answer, prompt: string): bigint | undefined {
    if (!isWhole) return undefined;
    const content = JSON.parse(text).choices[0].message.content as string;
    this.#checkText(content, prompt, true);
    this.whole.add(numberIn(prompt));
    const cost = headers.get('x-svc-cost-ntd');
    return cost === null ? undefined : nanoOf(cost);
  }

  #readStream({ text, isWhole }: Answer, prompt: string, requestId: string): bigint | undefined {
    const events = text.split('\n\n').slice(0, -1);
    const datas = events.flatMap((event) => (event.startsWith('data: ') ? [event.slice('data: '.length)] : []));
    let content = '';
    let cost: string | undefined;
    let finish: string | undefined;
    let hasFailed = false;
    for (const data of datas) {
      if (data === '[DONE]') continue;
      const value = JSON.parse(data);
      if (value.error) hasFailed = true;
      const choice = value.choices?.[0];
      content += choice?.delta?.content ?? '';
      finish = choice?.finish_reason ?? finish;
      cost = value.usage?.cost_nano ?? cost;
    }
    const isDone = datas.at(-1) === '[DONE]';
    // A model that wrote more than was asked for is stopped: `length`.
    const isComplete = isDone && finish === 'stop' && !hasFailed;
    this.#checkText(content, prompt, isComplete);
    if (isComplete) this.whole.add(numberIn(prompt));
    if (isWhole && !isDone && !hasFailed) this.#violate('a stream ends with its end or an error', requestId);
    return cost === undefined ? undefined : BigInt(cost);
  }

  /** An answer is the text of one run from its beginning, and all of it if it says that it is whole. */
  #checkText(content: string, prompt: string, isComplete: boolean): void {
    if (content === '' && !isComplete) return;
    const run = Number(/^reply-p\d+-(\d+)-/.exec(content)?.[1] ?? 1);
    const whole = wordsOf(prompt, run).join('');
    const isRight = isComplete ? content === whole : whole.startsWith(content);
    if (!isRight) this.#violate('an answer is the text of one run', `${prompt}: ${content}`);
  }

  #violate(invariant: string, detail: string): void {
    this.violations.push({ invariant, detail });
  }

  /** Undefined if there was no answer. */
  async #call(dice: Dice, sending: Sending): Promise<Answer | undefined> {
    const alive = this.#cluster.alive();
    if (alive.length === 0) return undefined;
    const node = dice.pick(alive);
    this.counts.calls++;
    const isLost = dice.isLuck(this.#options.loss());
    const isAnswerLost = dice.isLuck(this.#options.loss());
    const patience = dice.pick(PATIENCE_MS);
    await this.#world.sleep(dice.between(0, 40));
    if (isLost) return undefined;
    const leaving = new AbortController();
    const cancel = this.#world.after(isAnswerLost ? dice.between(0, 2_000) : patience, () => leaving.abort());
    try {
      return await this.#receive(node, leaving, sending);
    } catch {
      this.counts.broken++;
      return undefined;
    } finally {
      cancel();
    }
  }

  async #receive(
    { machine, gateway }: SimulatedNode,
    leaving: AbortController,
    sending: Sending,
  ): Promise<Answer | undefined> {
    const { leavesAfter, prompt = 'none' } = sending;
    // A node that stands still does not see yet that its client has left.
    const seen = new AbortController();
    leaving.signal.addEventListener('abort', () => machine.enter(() => seen.abort()), { once: true });
    const sent = request(sending, seen.signal);
    if (leavesAfter === 0) this.#world.after(1, () => leaving.abort());
    const ended = Promise.race([aborted(leaving.signal), aborted(machine.died)]);
    ended.catch(() => {});
    const response = await Promise.race([
      new Promise<Response>((resolve, reject) =>
        machine.enter(() => currentPrompt.run(prompt, () => gateway.fetch(sent).then(resolve, reject))),
      ),
      ended,
    ]);
    const answer: Answer = { status: response.status, headers: response.headers, text: '', isWhole: false };
    if (response.status >= 400) this.counts.faults++;
    if (response.status === 500) this.crashes.push(`${new URL(sent.url).pathname} was answered with 500`);
    const reader = response.body?.getReader();
    if (!reader) return { ...answer, isWhole: true };
    const decoder = new TextDecoder();
    try {
      for (let left = leavesAfter ?? Number.POSITIVE_INFINITY; ; ) {
        const { done, value } = await Promise.race([reader.read(), ended]);
        if (done) break;
        answer.text += decoder.decode(value.subarray(0, left), { stream: true });
        left -= value.length;
        if (left <= 0) throw new Error('the client hangs up');
      }
      this.counts.whole++;
      this.#world.note(`${sending.path} ${answer.status} ${answer.text}`);
      return { ...answer, isWhole: true };
    } catch {
      leaving.abort();
      machine.enter(() => void reader.cancel().catch(() => {}));
      this.counts.broken++;
      return answer;
    }
  }
}

/** Of a prompt. */
function numberIn(prompt: string): string {
  return prompt.split(' ')[1] ?? '';
}

function request({ method, path, key, body, idempotencyKey, session }: Sending, signal: AbortSignal): Request {
  return new Request(`http://127.0.0.1:8787${path}`, {
    method,
    signal,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(session === undefined ? {} : { 'x-svc-session': session }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(new Error('the connection is gone'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

function nanoOf(ntd: string): bigint {
  const [whole = '0', fraction = ''] = ntd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
}
