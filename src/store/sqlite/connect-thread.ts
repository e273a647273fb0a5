// One SQLite thread seen from the event loop: ask, and await the reply.

import { StoreRefused } from '../refusal.ts';
import type { Envelope, Reply, Request } from './messages.ts';

export interface Thread {
  ask(request: Request): Promise<unknown>;
  end(): void;
}

export function connectThread(): Thread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url).href);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let nextId = 1;
  let broken: Error | undefined;

  worker.onmessage = ({ data }: MessageEvent<Reply>) => {
    const caller = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.ok) caller?.resolve(data.value);
    else caller?.reject(data.refused ? new StoreRefused(data.message) : new Error(data.message));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    broken = new Error('the database thread stopped');
    for (const caller of waiting.values()) caller.reject(broken);
    waiting.clear();
    // Without its database thread the process can promise nothing: it ends, and a new one starts clean.
    queueMicrotask(() => {
      throw broken;
    });
  };
  return {
    ask(request) {
      if (broken) return Promise.reject(broken);
      return new Promise((resolve, reject) => {
        const envelope: Envelope = { id: nextId++, request };
        waiting.set(envelope.id, { resolve, reject });
        worker.postMessage(envelope);
      });
    },
    end: () => worker.terminate(),
  };
}
