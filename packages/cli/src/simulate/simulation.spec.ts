import { fileURLToPath } from 'node:url';
import { configDocumentSchema } from '@tollgate/contracts';
import { InvalidTraffic, readRecording, replayTraffic } from '@tollgate/replay';
import { beforeAll, describe, expect, it } from 'vitest';
import { openLogFile, readLines } from '../access-log.js';
import { ImportedRecording } from '../traffic/traffic.command.js';
import { policyOfDocument } from './config-policy.js';
import { simulateCommand } from './simulate.command.js';
import { formatSimulation, type Simulation, verdictOf } from './simulation.js';

const SAMPLE = fileURLToPath(new URL('../../samples/apache-sample.log.gz', import.meta.url));
const UNBOUNDED = { maxDenied: undefined, maxNewTenants: undefined, minCoverage: undefined };

/** A draft with one limit per address. */
function draftWith(limit: object, over: object = {}) {
  const limits = [{ name: 'per-ip', api: 'website', per: ['ip'], limit: 10, window: '1m', ...limit }];
  return configDocumentSchema.parse({
    version: 1,
    apis: { website: { name: 'Website', ...over } },
    tiers: { free: { name: 'Free', limits } },
  });
}

const policyOf = (document: ReturnType<typeof draftWith>, tier?: string) =>
  policyOfDocument(document, ['imported'], tier);

describe('simulation of an imported log', () => {
  let file: Buffer;

  beforeAll(async () => {
    const recording = new ImportedRecording({ format: 'apache', tenant: 'imported', api: 'website' });
    const log = await openLogFile(SAMPLE);
    for await (const line of readLines(log.chunks)) recording.add(line);
    await log.close();
    recording.add('broken');
    expect([recording.requests, recording.malformed]).toEqual([1000, 1]);
    file = recording.finish();
  });

  it('counts denials of a draft with the requests of a second together and spread', () => {
    const blocks = readRecording(file);
    const deniedBy = (limit: object) =>
      [false, true].map(
        (isSpread) => replayTraffic(blocks, { draft: policyOf(draftWith(limit)), isSpread }).draftDenied,
      );
    const fixed = deniedBy({ algorithm: 'fixed_window' });
    const burst = deniedBy({ algorithm: 'gcra', burst: 9 });
    const strict = deniedBy({ algorithm: 'gcra', burst: 0 });
    expect({ fixed, burst, strict }).toEqual({ fixed: [238, 238], burst: [184, 184], strict: [386, 394] });
  });

  it('applies rules for subjects, by networks too', () => {
    const blocks = readRecording(file);
    const draft = draftWith({ algorithm: 'fixed_window', limit: 100_000 });
    const rule = { dimension: 'ip', pattern: '66.249.0.0/16', effect: { kind: 'deny' }, reason: 'Crawler' };
    const imported = { name: 'Imported', tier: 'free', subjectRules: [rule] };
    const document = configDocumentSchema.parse({ ...draft, tenants: { imported } });
    const { covered, draftDenied } = replayTraffic(blocks, { draft: policyOf(document) });
    const denied = blocks.flatMap(({ subjects, subject }) =>
      Array.from(subject).filter((index) => subjects[index]?.values[0]?.[1].startsWith('~66.249.')),
    );
    expect(denied.length).toBeGreaterThan(0);
    expect({ covered, draftDenied }).toEqual({ covered: 1000, draftDenied: denied.length });
  });

  it('rejects a file that is not a recording', () => {
    expect(() => readRecording(Buffer.from('127.0.0.1 - -'))).toThrow(InvalidTraffic);
    expect(() => readRecording(file.subarray(0, file.length - 1))).toThrow(InvalidTraffic);
  });

  it('replaces default limits of the same name by those of the tier', () => {
    const defaults = {
      defaultLimits: [{ name: 'per-ip', algorithm: 'gcra', per: ['ip'], limit: 1, window: '1h' }],
    };
    const draftDenied = (over: object) =>
      replayTraffic(readRecording(file), { draft: policyOf(draftWith({ algorithm: 'fixed_window' }, over)) })
        .draftDenied;
    expect(draftDenied(defaults)).toBe(draftDenied({}));
  });

  it('lists tenants without a tier as not covered', () => {
    const document = draftWith({ algorithm: 'fixed_window' });
    const twoTiers = { ...document, tiers: { ...document.tiers, pro: { name: 'Pro' } } };
    const result = replayTraffic(readRecording(file), { draft: policyOf(twoTiers) });
    expect(result.uncovered).toEqual([{ reason: 'unknown tenant', decisions: 1000 }]);
    expect(replayTraffic(readRecording(file), { draft: policyOf(twoTiers, 'pro') })).toMatchObject({
      draftDenied: 0,
    });
  });

  it('passes, exceeds a bound, or is inconclusive', () => {
    const result = replayTraffic(readRecording(file), {
      draft: policyOf(draftWith({ algorithm: 'gcra', burst: 0 })),
    });
    const simulation: Simulation = { result, spread: null, notWarm: [] };
    expect(verdictOf(simulation, UNBOUNDED).kind).toBe('passed');
    expect(verdictOf(simulation, { ...UNBOUNDED, maxDenied: 0.005 }).kind).toBe('exceeded');
    expect(verdictOf(simulation, { ...UNBOUNDED, maxNewTenants: 0 }).kind).toBe('exceeded');
    const gaps = { ...simulation, result: { ...result, dropped: 1000 } };
    expect(verdictOf(gaps, { ...UNBOUNDED, minCoverage: 0.95 }).kind).toBe('inconclusive');
    const calibration = { compared: 100, mismatches: 1, otherLimits: 0, share: 0.01, isReliable: false };
    const unreliable = { ...simulation, result: { ...result, calibration } };
    const verdict = verdictOf(unreliable, UNBOUNDED);
    expect(verdict.kind).toBe('inconclusive');
    expect(formatSimulation(unreliable, verdict, 1)).not.toContain('This draft would');
    expect(formatSimulation(simulation, verdictOf(simulation, UNBOUNDED), 1)).toContain(
      'This draft would newly deny',
    );
  });
});

describe('simulation of an imported JSON log', () => {
  const START_S = Date.UTC(2026, 10, 1) / 1000;
  const SECONDS = Array.from({ length: 600 }, (_, second) => START_S + second);
  /** Admits a request per second, and not two. */
  const draft = policyOf(draftWith({ algorithm: 'gcra', limit: 60, burst: 0 }));

  function blocksOf(times: readonly unknown[]) {
    const recording = new ImportedRecording({ format: 'json', tenant: 'imported', api: 'website' });
    for (const time of times) recording.add(JSON.stringify({ time, ip: '203.0.113.9' }));
    return readRecording(recording.finish());
  }

  it.each([
    ['seconds', 1, 1_000_000],
    ['milliseconds', 1000, 1_000_000],
    ['microseconds', 1e6, 1_000_000],
    ['seconds that end in an odd millisecond', 1, 1000],
  ])('counts the same denials for times in %s', (_name, unit, resolutionUs) => {
    const [first = 0, ...rest] = SECONDS;
    const times = [resolutionUs === 1000 ? first + 0.001 : first, ...rest].map((time) => time * unit);
    expect(replayTraffic(blocksOf(times), { draft })).toMatchObject({
      covered: 600,
      draftDenied: resolutionUs === 1000 ? 1 : 0,
      resolutionUs,
    });
  });

  it('counts malformed lines as not covered', () => {
    const blocks = blocksOf([...SECONDS.slice(0, 300), ...Array(300).fill('2026-02-30T00:00:00Z')]);
    const result = replayTraffic(blocks, { draft });
    expect(result).toMatchObject({ covered: 300, dropped: 300 });
    const verdict = verdictOf({ result, spread: null, notWarm: [] }, { ...UNBOUNDED, minCoverage: 0.95 });
    expect(verdict.kind).toBe('inconclusive');
  });
});

it.each([
  ['--price', 'x'],
  ['--price', ''],
  ['--price', '-1'],
  ['--max-denied', ''],
  ['--max-denied', '%'],
  ['--max-denied', '150%'],
  ['--max-new-tenants', '1.5'],
])('rejects %s %j', async (flag, text) => {
  const command = simulateCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const args = ['draft.yaml', '--recording', 'file', flag, text];
  await expect(command.parseAsync(args, { from: 'user' })).rejects.toMatchObject({
    code: 'commander.invalidArgument',
  });
});
