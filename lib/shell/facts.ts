// What a scan has found so far. Limits are counts, not time, so that the same request gives the same answer everywhere.

import type {
  ExecutionStage,
  IncompleteCode,
  ScanCode,
  ScanDetail,
  ShellRedirect,
  UnresolvingCode,
} from './scan-types.ts';

export const LIMITS = {
  /** Characters of command text, nested payloads included. */
  text: 65_536,
  /** Payloads inside payloads. */
  depth: 8,
  stages: 2000,
  redirects: 2000,
  nodes: 50_000,
  details: 32,
} as const;

const SUBJECT_LENGTH = 80;

export class Facts {
  readonly stages: ExecutionStage[] = [];
  readonly redirects: ShellRedirect[] = [];
  readonly details: ScanDetail[] = [];
  resolved = true;
  complete = true;
  #nodes = 0;
  #text = 0;

  unresolve(code: UnresolvingCode, subject: string): void {
    this.resolved = false;
    this.#note(code, subject);
  }

  leaveOpen(code: IncompleteCode, subject: string): void {
    this.complete = false;
    this.#note(code, subject);
  }

  #note(code: ScanCode, subject: string): void {
    const short = subject.length > SUBJECT_LENGTH ? `${subject.slice(0, SUBJECT_LENGTH)}...` : subject;
    if (this.details.length >= LIMITS.details) return;
    if (this.details.some((detail) => detail.code === code && detail.subject === short)) return;
    this.details.push({ code, subject: short });
  }

  addStage(stage: ExecutionStage): void {
    if (this.stages.length < LIMITS.stages) this.stages.push(stage);
    else this.unresolve('limit_reached', `${LIMITS.stages} stages`);
  }

  addRedirect(redirect: ShellRedirect): void {
    if (this.redirects.length < LIMITS.redirects) this.redirects.push(redirect);
    else this.unresolve('limit_reached', `${LIMITS.redirects} redirects`);
  }

  /** False when the walk must stop. */
  countNode(): boolean {
    if (++this.#nodes <= LIMITS.nodes) return true;
    this.unresolve('limit_reached', `${LIMITS.nodes} nodes`);
    return false;
  }

  /** False when `text` is more than may be read. */
  countText(text: string): boolean {
    this.#text += text.length;
    if (this.#text <= LIMITS.text) return true;
    this.unresolve('limit_reached', `${LIMITS.text} characters`);
    return false;
  }
}
