// Lines on their way out. Those of one turn of the event loop leave together: a write for each would cost more than most
// of what they tell of.

export interface LineWriter {
  write(line: string): void;
  /** Whatever waits leaves now: before the process ends. */
  flush(): void;
}

export function createLineWriter(send: (text: string) => void): LineWriter {
  let waiting = '';

  function flush(): void {
    const text = waiting;
    waiting = '';
    if (text !== '') send(text);
  }

  return {
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
    flush,
  };
}
