// Something that will be known, as a promise that is made only when somebody asks for it: a process has three of them,
// most users look at one, and hundreds of processes at a time are what makes the young generation full.

/** Looking at the promise or not is up to the user: a rejection that nobody awaits is not an unhandled one. */
export function toOptional<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Settled once; later calls have no effect, as with a promise. */
export class Outcome<T> {
  #settled: Settled<T> | undefined;
  #promise: Promise<T> | undefined;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  get promise(): Promise<T> {
    if (this.#promise === undefined) {
      const promise = new Promise<T>((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
      });
      this.#promise = toOptional(promise);
      this.#tell();
    }
    return this.#promise;
  }

  resolve(value: T): void {
    this.#settle({ ok: true, value });
  }

  reject(error: unknown): void {
    this.#settle({ ok: false, error });
  }

  #settle(settled: Settled<T>): void {
    this.#settled ??= settled;
    this.#tell();
  }

  #tell(): void {
    const settled = this.#settled;
    if (settled === undefined) return;
    if (settled.ok) this.#resolve?.(settled.value);
    else this.#reject?.(settled.error);
  }
}
