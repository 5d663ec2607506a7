// Pause and continue: while it is shut no step starts. Those that run go on to their end.

export class Gate {
  #open = true;
  readonly #waiting = new Set<() => void>();

  get isOpen(): boolean {
    return this.#open;
  }

  shut(): void {
    this.#open = false;
  }

  open(): void {
    this.#open = true;
    for (const start of [...this.#waiting]) start();
  }

  /** Rejects with the signal's reason when that aborts first. */
  pass(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      if (this.#open) {
        resolve();
        return;
      }
      const leave = (): void => {
        this.#waiting.delete(start);
        signal.removeEventListener('abort', onAbort);
      };
      const start = (): void => {
        leave();
        resolve();
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      this.#waiting.add(start);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
