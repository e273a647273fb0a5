// A wait that a signal can end. It leaves nothing behind on the signal: a race against one promise that lives as long as a
// stream would keep a trace of every event that won.

export function untilAborted<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const leave = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    value.then(resolve, reject).then(leave, leave);
  });
}
