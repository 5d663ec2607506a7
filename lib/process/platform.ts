// What protects calls here, as the engine reports it. Nothing is loaded until a field is read.

import type { Containment } from '../command/types.ts';
import { getFeatures } from '../native/binding.ts';
import type { ParentDeath } from '../native/contract.ts';

export interface Platform {
  /** The strongest containment a call can get. */
  readonly tree: Containment;
  /** What ends running trees when this process goes away. */
  readonly parentDeath: ParentDeath;
  /** `'linux'`, `'darwin'` or `'win32'`: the code that was built in. */
  readonly os: string;
  /** How programs are started. */
  readonly engine: string;
  /** C library and version; empty when unknown. */
  readonly libc: string;
  /** Exits are seen through process descriptors, which cannot be confused. */
  readonly pidfd: boolean;
  /** The child's descriptors above 2 are closed in one step. */
  readonly closeFrom: boolean;
  /** Path of the executable that holds trees together; null on systems that have none. */
  readonly keeper: string | null;
  /** Why it is not used here; null when it is. */
  readonly keeperProblem: string | null;
}

export const platform: Platform = Object.freeze({
  get tree(): Containment {
    return getFeatures().tree;
  },
  get parentDeath(): ParentDeath {
    return getFeatures().parentDeath;
  },
  get os(): string {
    return getFeatures().os;
  },
  get engine(): string {
    return getFeatures().engine;
  },
  get libc(): string {
    return getFeatures().libc;
  },
  get pidfd(): boolean {
    return getFeatures().pidfd;
  },
  get closeFrom(): boolean {
    return getFeatures().closeFrom;
  },
  get keeper(): string | null {
    return getFeatures().keeper;
  },
  get keeperProblem(): string | null {
    return getFeatures().keeperProblem;
  },
});
