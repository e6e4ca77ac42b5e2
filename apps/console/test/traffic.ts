import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { RunningStack } from './screens/screen.ts';

interface Demo {
  tenants: Record<string, unknown>;
  apis: Record<string, { operations: Record<string, unknown> }>;
}

const ROUND_MS = 250;
const ADDRESSES = 250;

/**
 * Sends decision requests of the demo's tenants until stopped, so that live screens show data. The first tenant
 * exceeds its limits.
 */
export function sendTraffic({ decisionUrl, serviceToken, demo: { tenant, api, operation } }: RunningStack): {
  stop: () => Promise<void>;
} {
  const demo: Demo = parse(readFileSync(new URL('../../../prisma/seed/demo.yaml', import.meta.url), 'utf8'));
  const requests = Object.keys(demo.tenants).flatMap((caller, index) =>
    Object.entries(demo.apis).map(([key, { operations }]) => {
      const names = Object.keys(operations);
      const name = names[index % names.length];
      return { tenant: caller, api: key, operation: name, subject: { user: `u${index}` } };
    }),
  );
  const ask = (request: object) =>
    fetch(`${decisionUrl}/v1/limit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${serviceToken}` },
      body: JSON.stringify(request),
    }).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
  let stopped = false;
  const send = async () => {
    for (let round = 0; !stopped; round++) {
      const some = [0, 1, 2, 3, 4].map((i) => requests[(round * 5 + i) % requests.length]);
      // As many addresses as people have: one alone would be refused before long.
      const ip = `203.0.113.${round % ADDRESSES}`;
      const asked = some.flatMap((one) =>
        one === undefined ? [] : [{ ...one, subject: { ...one.subject, ip } }],
      );
      await Promise.all([{ tenant, api, operation }, ...asked].map(ask));
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    }
  };
  const sending = send();
  return {
    stop: () => {
      stopped = true;
      return sending;
    },
  };
}
