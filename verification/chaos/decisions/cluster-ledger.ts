import { setTimeout as delay } from 'node:timers/promises';
import { receiptKey } from '@tollgate/limiter/rules';
import { type Check, ClusterStore, type StoreRequest, slotOf } from '@tollgate/limiter/stores';
import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { compiled, policyBy } from '../../../packages/limiter/test/policies.ts';
import {
  type ClusterNode,
  startRedisCluster,
  type TestRedisCluster,
} from '../../../packages/limiter/test/redis-cluster.ts';
import { failing, type Goal, type GoalOptions, type Measurement } from '../goal.ts';

const CALLERS = 48;
const TENANTS = 200;
const USERS = 8;
/** Tenants whose slots move; a third of the requests is theirs. */
const MOVING = Array.from({ length: 6 }, (_, i) => `tenant-${i}`);
const HUGE = 1_000_000_000;
const DEADLINE_MS = 250;
const RETRIES = 8;
const PAUSE_MS = 20;
const READ_WITHIN_MS = 20_000;
/** From the moment when a replica serves as a master. */
const ANSWERS_WITHIN_MS = 1000;

const hour = { limit: HUGE, windowMs: 3_600_000, alignment: 'first_request' as const };
/** A request charges the first limit, or both. */
const LIMITS = [
  compiled(policyBy({ algorithm: 'quota', limit: HUGE, period: 'month' }, { name: 'first' })),
  compiled(policyBy({ algorithm: 'fixed_window', ...hour }, { name: 'second' })),
];

/** How a request is sent: with one limit, with both, or with both and an id under which it is repeated. */
const KINDS = ['one', 'both', 'repeated'] as const;

interface Entry {
  readonly check: Check;
  readonly isPaired: boolean;
  admitted: number;
  /** Requests without a reply, which may have been charged. */
  unknown: number;
}

/** What callers were answered, by counter. */
class Ledger {
  readonly entries = new Map<string, Entry>();
  unavailable = 0;
  asked = 0;

  add(checks: readonly Check[], outcome: 'admitted' | 'unknown'): void {
    for (const check of checks) {
      let entry = this.entries.get(check.key);
      if (entry === undefined) {
        entry = { check, isPaired: checks.length > 1, admitted: 0, unknown: 0 };
        this.entries.set(check.key, entry);
      }
      entry[outcome]++;
    }
  }
}

/** A cluster whose slots and masters change under load charges what it answered. */
export const keepsItsLedger: Goal = {
  id: 'R4',
  title: 'a changing cluster charges what it answered',
  passLine:
    'while slots move and masters change, no counter is below its admissions or above them and the lost replies; limits of a request alike; answers <= 1 s after a failover',
  seconds: 8,
  async run(options, report) {
    const cluster = await startRedisCluster({ nodeTimeoutMs: 1000 });
    const store = new ClusterStore({ url: cluster.url, deadlineMs: DEADLINE_MS });
    try {
      await store.connected(10_000);
      const round = new Round(cluster, store, options);
      report(await round.measure('slots move', () => round.reshard()));
      report(await round.measure('orderly failover', () => cluster.failover(replicaOf(cluster, 0))));
      if (options.isolation === 'none') return;
      report(await round.measure('frozen master', () => round.freeze(1)));
      report(await round.measure('killed master', () => round.kill(2)));
    } finally {
      await store.close();
      await cluster.stop();
    }
  },
};

function replicaOf(cluster: TestRedisCluster, master: number): ClusterNode {
  const replica = cluster.nodes.find(({ masterId }) => masterId === cluster.masters[master]?.id);
  if (replica === undefined) throw new Error('the master has no replica');
  return replica;
}

class Round {
  private readonly cluster: TestRedisCluster;
  private readonly store: ClusterStore;
  private readonly options: GoalOptions;
  private readonly random: Random;
  private requests = 0;
  private answersAfterMs = 0;

  constructor(cluster: TestRedisCluster, store: ClusterStore, options: GoalOptions) {
    this.cluster = cluster;
    this.store = store;
    this.options = options;
    this.random = randomFrom(options.seed);
  }

  /** Puts load on the cluster during `fault` and compares all counters with the replies. */
  async measure(name: string, fault: () => Promise<void>): Promise<Measurement> {
    const ledger = new Ledger();
    const load = { isOver: false };
    const callers = Array.from({ length: Math.ceil(CALLERS * this.options.scale) }, () =>
      this.call(name, ledger, load),
    );
    await delay(100);
    await fault();
    await delay(200);
    load.isOver = true;
    await Promise.all(callers);
    const { lost, over, torn } = await this.compare(ledger);
    const numbers = {
      asked: ledger.asked,
      unavailable: ledger.unavailable,
      counters: ledger.entries.size,
      lost,
      over,
      torn,
      answersAfterMs: this.answersAfterMs,
    };
    // A failover without the old master may lose its last writes.
    const mayLose = name === 'frozen master' || name === 'killed master';
    const failures = failing({
      'charged less than admitted': lost === 0 || mayLose,
      [`no answer ${ANSWERS_WITHIN_MS} ms after a failover`]: this.answersAfterMs <= ANSWERS_WITHIN_MS,
      'charged more than admitted': over === 0,
      'limits of a request charged differently': torn === 0,
    });
    return { name, numbers, failures };
  }

  async reshard(): Promise<void> {
    const endMs = performance.now() + this.options.seconds * 1000;
    for (let i = 0; i < MOVING.length || performance.now() < endMs; i++) {
      const slot = slotOf(`{${MOVING[i % MOVING.length]}}`);
      const to = this.cluster.masters[(i + Math.floor(i / MOVING.length)) % this.cluster.masters.length];
      if (to === undefined || (await this.cluster.ownerOf(slot)).id === to.id) continue;
      await this.cluster.moveSlot(slot, to, () => delay(PAUSE_MS));
    }
  }

  async freeze(master: number): Promise<void> {
    const node = this.cluster.masters[master];
    const check = await this.checkOn(node);
    await node?.freeze();
    await this.failedOver(master, check);
    node?.thaw();
    await delay(1000);
  }

  async kill(master: number): Promise<void> {
    const node = this.cluster.masters[master];
    const check = await this.checkOn(node);
    node?.kill();
    await this.failedOver(master, check);
    await delay(1000);
  }

  private async failedOver(master: number, check: Check): Promise<void> {
    await this.cluster.promoted(replicaOf(this.cluster, master));
    const promotedMs = performance.now();
    await this.usedBy(check);
    this.answersAfterMs = performance.now() - promotedMs;
  }

  /** A counter of a node. */
  private async checkOn(node: ClusterNode | undefined): Promise<Check> {
    for (let i = 0; ; i++) {
      const { checks } = this.requestOf(`on-${i}`, 'one', 'failover');
      const [check] = checks;
      if (check !== undefined && (await this.cluster.ownerOf(slotOf(check.key), node)).id === node?.id)
        return check;
    }
  }

  private async call(phase: string, ledger: Ledger, load: { isOver: boolean }): Promise<void> {
    while (!load.isOver) {
      const { random } = this;
      const tenant =
        random.below(3) === 0
          ? (MOVING[random.below(MOVING.length)] ?? '')
          : `tenant-${random.below(TENANTS)}`;
      const kind = KINDS[random.below(KINDS.length)] ?? 'one';
      // One in forty requests has a new counter, which migrating slots treat differently.
      const user = random.below(40) === 0 ? `new-${this.requests}` : `u${random.below(USERS)}`;
      const request = this.requestOf(tenant, kind, `${phase.replaceAll(' ', '-')}-${user}`);
      await this.ask(request, kind, ledger);
    }
  }

  private requestOf(tenant: string, kind: (typeof KINDS)[number], user: string): StoreRequest {
    const id = this.requests++;
    const limits = kind === 'one' ? LIMITS.slice(0, 1) : LIMITS;
    const checks = limits.map(({ policy, keyStem }) => ({
      key: `{${tenant}}${keyStem}=${kind}-${user}`,
      policy,
      cost: 1,
    }));
    if (kind !== 'repeated') return { checks, peek: false };
    const key = receiptKey(tenant, `r${id}`);
    const receipt = { key, holder: id + 1, fingerprint: 7, keepMs: 600_000, expiresAfterMs: 0 };
    return { checks, peek: false, receipt };
  }

  private async ask(request: StoreRequest, kind: string, ledger: Ledger): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      ledger.asked++;
      const reply = await this.store.charge(request);
      if (reply.available) {
        if (reply.allowed) ledger.add(request.checks, 'admitted');
        return;
      }
      ledger.unavailable++;
      await delay(PAUSE_MS);
      if (kind === 'repeated' && attempt < RETRIES) continue;
      ledger.add(request.checks, 'unknown');
      return;
    }
  }

  private async compare({ entries }: Ledger): Promise<{ lost: number; over: number; torn: number }> {
    const result = { lost: 0, over: 0, torn: 0 };
    const used = new Map<string, number>();
    await Promise.all(
      [...entries.values()].map(async ({ check }) => used.set(check.key, await this.usedBy(check))),
    );
    const [first, second] = LIMITS;
    for (const [key, { isPaired, admitted, unknown }] of entries) {
      const units = used.get(key) ?? 0;
      if (units < admitted) result.lost++;
      if (units > admitted + unknown) result.over++;
      const other = key.replace(second?.keyStem ?? '', first?.keyStem ?? '');
      if (isPaired && used.get(other) !== units) result.torn++;
    }
    return result;
  }

  private async usedBy(check: Check): Promise<number> {
    const endMs = performance.now() + READ_WITHIN_MS;
    for (;;) {
      const reply = await this.store.charge({ checks: [check], peek: true });
      if (reply.available) return HUGE - (reply.checks[0]?.remaining ?? 0);
      if (performance.now() > endMs) throw new Error('the counters cannot be read');
      await delay(PAUSE_MS);
    }
  }
}
