// A SQLite thread, called from the event loop with requests and replies.

import { StoreRefused } from '../refusal.ts';
import { decodeAnswers, encodeOperations } from './hot-batches.ts';
import type { Envelope, ReaderRequest, Reply, WriterRequest } from './messages.ts';

export interface Thread<Request> {
  ask(request: Request): Promise<unknown>;
  end(): void;
}

export type Reader = Thread<ReaderRequest>;

export function connectWriter(): Thread<WriterRequest> {
  return connect(new URL('./writer-thread.ts', import.meta.url));
}

export function connectReader(): Reader {
  return connect(new URL('./reader-thread.ts', import.meta.url));
}

function connect<Request extends ReaderRequest | WriterRequest>(program: URL): Thread<Request> {
  const worker = new Worker(program.href);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let nextId = 1;
  let broken: Error | undefined;

  function callerOf(id: number) {
    const caller = waiting.get(id);
    waiting.delete(id);
    return caller;
  }

  worker.onmessage = ({ data }: MessageEvent<Reply | string>) => {
    if (typeof data === 'string') {
      const { id, decided } = decodeAnswers(data);
      callerOf(id)?.resolve(decided);
    } else if (data.ok) callerOf(data.id)?.resolve(data.value);
    else callerOf(data.id)?.reject(data.refused ? new StoreRefused(data.message) : new Error(data.message));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    broken = new Error('the database thread stopped');
    for (const caller of waiting.values()) caller.reject(broken);
    waiting.clear();
    // Without its database thread the process cannot serve: it exits, to be restarted.
    queueMicrotask(() => {
      throw broken;
    });
  };
  return {
    ask(request) {
      if (broken) return Promise.reject(broken);
      return new Promise((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        const text = request.do === 'commit' ? encodeOperations(id, request.operations) : undefined;
        const envelope: Envelope<Request> = { id, request };
        worker.postMessage(text ?? envelope);
      });
    },
    end: () => worker.terminate(),
  };
}
