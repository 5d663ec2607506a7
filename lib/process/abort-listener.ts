// One listener per AbortSignal, however many calls share it: a listener each would make Node warn of a leak at the
// eleventh call that runs at the same time (EventTarget, "MaxListenersExceededWarning").

const waiting = new WeakMap<AbortSignal, { readonly calls: Set<() => void>; readonly listener: () => void }>();

/**
 * `call` runs when `signal` aborts. A signal that is aborted already is the caller's to look at.
 *
 * @returns its undo. The signal keeps nothing of ours once every call has been undone or has run.
 */
export function armAbort(signal: AbortSignal, call: () => void): () => void {
  let entry = waiting.get(signal);
  if (entry === undefined) {
    const calls = new Set<() => void>();
    const listener = (): void => {
      waiting.delete(signal);
      for (const one of calls) one();
    };
    entry = { calls, listener };
    waiting.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { calls, listener } = entry;
  calls.add(call);
  return () => {
    if (!calls.delete(call) || calls.size > 0 || waiting.get(signal)?.calls !== calls) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}
