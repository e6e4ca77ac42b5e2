import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../../verification/yard/part.mjs';
import { notOnPath } from '../bootstrap/programs.mjs';
import { ROOT } from '../run/root.mjs';
import { reservePort } from '../stack/settings.mjs';

const MONITORING = path.join(ROOT, 'deploy/monitoring');

/** A Prometheus that scrapes every second and evaluates the alert rules. */
export class Prometheus {
  #folder = mkdtempSync(path.join(tmpdir(), 'tollgate-prometheus-'));
  #program;

  /** @param {Record<string, string[]>} urls of `/metrics`, by job. @throws Error if Prometheus is not on PATH */
  async start(urls) {
    const port = await reservePort();
    this.url = `http://127.0.0.1:${port}`;
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [path.join(MONITORING, 'rules.yaml')],
      scrape_configs: Object.entries(urls).map(([job, jobUrls]) => ({
        job_name: job,
        static_configs: [{ targets: jobUrls.map((url) => new URL(url).host) }],
      })),
    };
    const file = path.join(this.#folder, 'prometheus.json');
    writeFileSync(file, JSON.stringify(config));
    const flags = {
      'config.file': file,
      'storage.tsdb.path': path.join(this.#folder, 'data'),
      'web.listen-address': `127.0.0.1:${port}`,
      'log.level': 'error',
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    this.#program = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    await once(this.#program, 'spawn').catch((cause) => {
      this.#program = undefined;
      throw cause.code === 'ENOENT' ? notOnPath('prometheus') : cause;
    });
  }

  /** Series of an expression. @throws Error if Prometheus rejects it */
  async query(expr) {
    const { data, error } = await this.#get(`query?${new URLSearchParams({ query: expr })}`);
    if (error !== undefined) throw new Error(`${error}: ${expr}`);
    return data.result;
  }

  /** Resolves when every target was scraped and all rules were evaluated after it. */
  async watches() {
    await until('all targets are scraped', async () => {
      const { activeTargets } = (await this.#get('targets?state=active')).data;
      return activeTargets.length > 0 && activeTargets.every(({ health }) => health === 'up');
    });
    const upAt = Date.now();
    await until('all rules are evaluated', async () => {
      const { groups } = (await this.#get('rules')).data;
      return groups.every(({ lastEvaluation }) => Date.parse(lastEvaluation) > upAt);
    });
  }

  /** Names of the alerts that fire now. */
  async firing() {
    const { alerts } = (await this.#get('alerts')).data;
    return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
  }

  /** All rules with their state; `health` is `ok` after an evaluation without errors. */
  async rules() {
    return (await this.#get('rules')).data.groups.flatMap(({ rules }) => rules);
  }

  async stop() {
    if (this.#program?.exitCode === null) {
      this.#program.kill('SIGTERM');
      await once(this.#program, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #get(what) {
    return (await fetch(`${this.url}/api/v1/${what}`)).json();
  }
}

/** The queries of all dashboards, with the variables of Grafana replaced. */
export function panelQueries() {
  const folder = path.join(MONITORING, 'dashboards');
  return readdirSync(folder).flatMap((file) => {
    const { title, panels } = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    return panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({
        panel: `${title}: ${panel.title}`,
        expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h'),
      })),
    );
  });
}
