// The workflow's signal and the step's as one, without leaving a listener on either.

export interface JoinedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    undo.push(() => signal.removeEventListener('abort', onAbort));
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const one of undo) one();
    },
  };
}
