// An agent that knows only an address, HTTP and the formats of OpenAI, Anthropic and MCP. Every path that it calls comes
// from an answer of the service; it counts its calls and remembers what it has read.

import type { HttpCall } from '../../test/support/read-command.ts';
import { type Json, type Offer, readJson, readOffers } from './read-offers.ts';

/** Documents that one goal may read before the agent gives up. */
const MOST_READ = 8;
const MOST_WAIT_S = 60;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Json;
  offers: readonly Offer[];
}

/** What stands in a command for something that the caller has. */
const KEY_NAMES = /\$KEY\b|YOUR_KEY\b/g;
const CARD_NAMES = /PC-…|\$CODE\b/g;

/** What describes a whole API comes first, then what is written for agents. */
const READING_ORDER = [/service-desc|openapi/i, /skill/i, /service-doc|llms\.txt/i, /api-catalog/i, /docs/i];

export class Agent {
  readonly #url: string;
  readonly #offers: Offer[] = [];
  readonly #read = new Set<string>();
  /** Newest first: keys, ids of requests, of keys, of quotes. */
  readonly #seen: string[] = [];
  calls = 0;
  readonly deadEnds: string[] = [];
  /** The first key that it got. */
  key = '';
  env: Readonly<Record<string, string>> = {};

  /** `given` is what a person gave it. */
  constructor(
    url: string,
    readonly given: { card: string },
  ) {
    this.#url = url;
  }

  open(): Promise<Answer> {
    this.#read.add(this.#url);
    return this.send({ method: 'GET', url: this.#url, headers: {}, body: null });
  }

  /** The call whose words say what is wanted; reads on if none is known. */
  find(words: RegExp, isMeant: (call: HttpCall) => boolean = () => true): Promise<Offer> {
    return this.#search(words, ({ kind, about, call }) => kind === 'call' && words.test(about) && isMeant(call));
  }

  /** An address whose words say what is wanted, such as that of another protocol. */
  async findAddress(words: RegExp): Promise<string> {
    return (await this.#search(words, ({ about, call }) => words.test(about) || words.test(call.url))).call.url;
  }

  async follow(words: RegExp, key = this.key): Promise<Answer> {
    const { call, patterns } = await this.find(words);
    return this.send(this.#fill(call, patterns), key);
  }

  async #search(words: RegExp, isWanted: (offer: Offer) => boolean): Promise<Offer> {
    for (let reads = 0; reads <= MOST_READ; reads++) {
      const known = this.#offers.find(isWanted);
      if (known) return known;
      const next = this.#nextDocument(words);
      if (!next) break;
      this.#read.add(next.call.url);
      await this.send(next.call);
    }
    this.deadEnds.push(`nothing that was read leads to ${words}`);
    throw new Error(`nothing that was read leads to ${words}`);
  }

  #nextDocument(words: RegExp): Offer | undefined {
    const unread = this.#offers.filter(
      ({ kind, call }) =>
        kind === 'link' && !this.#read.has(call.url) && new URL(call.url).origin === new URL(this.#url).origin,
    );
    const orders = [words, ...READING_ORDER];
    return orders.map((order) => unread.find(({ about }) => order.test(about))).find((found) => found !== undefined);
  }

  /** Repeats a refused call as it was told: after the wait, if waiting helps. */
  async send(call: HttpCall, key = this.key): Promise<Answer> {
    const answer = await this.#sendOnce(call, key);
    const waitS = Number(answer.headers.get('retry-after') ?? 'NaN');
    if (answer.status !== 429 || !(waitS <= MOST_WAIT_S)) return answer;
    await Bun.sleep(waitS * 1_000);
    return this.#sendOnce(call, key);
  }

  async #sendOnce(call: HttpCall, key: string): Promise<Answer> {
    this.calls += 1;
    const { method, url, headers, body } = this.#withGiven(call, key);
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    const offers = readOffers(url, response.headers, text);
    const answer = { status: response.status, headers: response.headers, text, json: readJson(text), offers };
    this.#offers.push(...offers);
    this.#remember(answer);
    const isRefused = response.status >= 400;
    if (isRefused && !offers.some(({ kind }) => kind === 'call') && !response.headers.has('retry-after')) {
      this.deadEnds.push(`${method} ${new URL(url).pathname}: ${response.status} names no call that helps`);
    }
    return answer;
  }

  #withGiven(call: HttpCall, key: string): HttpCall {
    const fill = (text: string) => text.replace(KEY_NAMES, key).replace(CARD_NAMES, this.given.card);
    const headers = Object.entries(call.headers).map(([name, value]) => [name, fill(value)]);
    // A key that the agent got is sent in place of one that a command was printed with.
    const auth = key === '' ? {} : { authorization: `Bearer ${key}` };
    return {
      ...call,
      headers: { ...Object.fromEntries(headers), ...auth },
      body: call.body === null ? null : fill(call.body),
    };
  }

  #remember({ headers, json }: Answer): void {
    const id = headers.get('x-request-id');
    const members = [json?.api_key, json?.key_id, json?.id, json?.quote_id, id];
    this.#seen.unshift(...members.filter((member) => typeof member === 'string'));
    if (this.key === '' && typeof json?.api_key === 'string') this.key = json.api_key;
    if (typeof json?.env === 'object' && json.env !== null) this.env = { ...this.env, ...json.env };
  }

  /** Puts what it has seen into the path, by the pattern that the parameter must have. */
  #fill(call: HttpCall, patterns: Offer['patterns'] = {}): HttpCall {
    const filled = Object.entries(patterns).reduce((url, [name, pattern]) => {
      const value = this.#seen.find((seen) => new RegExp(pattern).test(seen));
      return value === undefined ? url : url.replace(`{${name}}`, encodeURIComponent(value));
    }, call.url);
    return { ...call, url: filled };
  }
}
