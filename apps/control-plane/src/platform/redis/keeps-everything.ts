import { readServerInfo } from '@tollgate/decision-plane/internals';

/** What is wrong with a server that holds jobs, policy and usage, in words for whoever runs it. */
export interface KeepingProblem {
  /** Whether it may lose what was written, even when nothing breaks. */
  evicts: boolean;
  message: string;
}

/**
 * Looks at the text of INFO. A server that evicts drops jobs and policy when memory runs short; one without an append-only
 * file has forgotten them all after a restart, and with them the usage that was not counted yet.
 */
export function keepingProblems(info: string): KeepingProblem[] {
  const fields = readServerInfo(info);
  const problems: KeepingProblem[] = [];
  const policy = fields.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    const message = `maxmemory-policy is ${policy}: jobs and policy may be evicted; set it to noeviction`;
    problems.push({ evicts: true, message });
  }
  if (fields.get('aof_enabled') !== '1') {
    const message =
      'it keeps no append-only file: a restart forgets usage that was not counted yet; set appendonly yes, ' +
      'or REDIS_CONFIG_DURABILITY=best-effort';
    problems.push({ evicts: false, message });
  }
  return problems;
}
