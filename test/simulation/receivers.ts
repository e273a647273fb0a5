// The receivers of webhooks. They refuse some messages, lose some answers, and remember what they accepted.

import { createHmac } from 'node:crypto';
import type { Post } from '../../src/channels/post-message.ts';
import type { Dice } from './dice.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

export interface Accepted {
  url: string;
  /** Of the event. */
  id: string;
  at: number;
  /** The sender does not learn of it, and sends it again. */
  isAnswerLost: boolean;
}

/** Of one event: so its last repetition comes soon. */
const MOST_FAILURES = 2;

export class Receivers {
  readonly accepted: Accepted[] = [];
  /** All bodies, accepted or not. */
  readonly bodies: string[] = [];
  /** By URL, as they were told to the customer. */
  readonly secrets = new Map<string, string>();
  /** Messages that are not signed with the secret of their webhook. */
  readonly unsigned: string[] = [];
  readonly #failures = new Map<string, number>();
  readonly #world: World;
  readonly #dice: Dice;

  constructor(world: World) {
    this.#world = world;
    this.#dice = world.diceFor('receivers');
  }

  postFrom(machine: Machine): Post {
    return ({ url, body, headers }, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      // What a node has sent arrives, also if it dies or gives up meanwhile.
      this.#world.after(this.#dice.between(1, 300), () => {
        if (!this.#isSigned(url, body, headers)) this.unsigned.push(`${url}: ${body}`);
        const status = this.#receive(url, body);
        if (status === undefined) return;
        this.#world.after(this.#dice.between(1, 100), () => machine.enter(() => resolve(status)));
      });
      return promise;
    };
  }

  /** As far as the customer was told the secret. */
  #isSigned(url: string, body: string, headers: Readonly<Record<string, string>>): boolean {
    const secret = this.secrets.get(url);
    if (secret === undefined) return true;
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64')).update(text);
    return headers['webhook-signature'] === `v1,${signature.digest('base64')}`;
  }

  /** Undefined if the answer is lost. */
  #receive(url: string, body: string): number | undefined {
    this.bodies.push(body);
    const { id } = JSON.parse(body) as { id: string };
    const name = `${url} ${id}`;
    const failures = this.#failures.get(name) ?? 0;
    const fails = failures < MOST_FAILURES && this.#dice.isLuck(0.1);
    const isAnswerLost = fails && this.#dice.isLuck(0.3);
    if (fails) this.#failures.set(name, failures + 1);
    if (fails && !isAnswerLost) return 503;
    this.accepted.push({ url, id, at: this.#world.now, isAnswerLost });
    return isAnswerLost ? undefined : 204;
  }
}
