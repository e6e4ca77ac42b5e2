import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { invalidateBuild } from '../bootstrap/install.mjs';
import { ROOT } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';
import { seconds } from '../run/steps.mjs';
import { FILES } from './home.mjs';
import { explain, loadEmbedded } from './services.mjs';

/** Editors write a file in several steps. */
const QUIET_MS = 40;
const STOP_MS = 1_500;
const APPS = ['control-plane', 'decision-api'];
/** Packages with Lua scripts, and the file that is generated from them. */
const LUA_PACKAGES = ['packages/limiter', 'packages/decision-plane'];
const LUA_BUNDLE = 'src/generated/scripts.ts';

/**
 * Watch mode (`pnpm dev`): compiles changed files into `dist` and restarts the apps that use them; Vite serves the
 * console from source. Errors are reported and leave the rest running.
 */
export class WatchMode {
  #apps = new Map();
  #watchers = [];
  #changed = new Set();
  #timer;
  #work = Promise.resolve();
  #isStopped = false;

  /** A part for the stack that stays while the app restarts. @param {() => Promise<object>} launch */
  add(name, launch, part) {
    this.#apps.set(name, { launch, part });
    const stop = () => this.#apps.get(name).part?.stop();
    return {
      logFile: part.logFile,
      exited: new Promise(() => {}),
      stop,
      kill: (signal) => this.#apps.get(name).part?.kill(signal),
    };
  }

  start(stack) {
    for (const folder of sourceFolders()) {
      const watcher = watchTree(path.join(ROOT, folder), (file) => this.#note(path.relative(ROOT, file)));
      this.#watchers.push(watcher);
    }
    stack.addPart('Watch mode', {
      exited: new Promise(() => {}),
      stop: () => this.#stop(),
      kill: () => this.#stop(),
    });
  }

  async #stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
    await this.#work;
  }

  #note(file) {
    if (!/\.(ts|lua)$/.test(file) || /\.spec\.ts$/.test(file) || file.endsWith(`/${LUA_BUNDLE}`)) return;
    this.#changed.add(file);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const files = [...this.#changed];
      this.#changed.clear();
      this.#work = this.#work.then(() => this.#apply(files)).catch((error) => console.error(error));
    }, QUIET_MS);
  }

  async #apply(files) {
    if (this.#isStopped) return;
    const startedAt = performance.now();
    invalidateBuild();
    try {
      for (const folder of LUA_PACKAGES) {
        if (files.some((file) => file.endsWith('.lua') && file.startsWith(`${folder}/`)))
          await bundleLua(folder);
      }
      await Promise.all(files.filter((file) => file.endsWith('.ts')).map(compile));
    } catch (error) {
      console.error(`\n✖ ${files.join(', ')}\n${error.message}`);
      return;
    }
    const apps = appsUsing(files);
    await Promise.all(apps.map((name) => this.#restart(name)));
    const done = apps.length === 0 ? 'compiled' : `${apps.join(', ')} restarted`;
    console.log(`${done} in ${seconds(performance.now() - startedAt)} (${files.join(', ')})`);
  }

  async #restart(name) {
    const app = this.#apps.get(name);
    if (app === undefined || this.#isStopped) return;
    if (app.part !== undefined) await stopSoon(app.part);
    app.part = undefined;
    try {
      app.part = await app.launch();
    } catch (error) {
      console.error(
        `\n✖ ${name} did not start. Save a correction to try again.\n${error.output ?? error.message}`,
      );
    }
  }
}

/**
 * Calls `onChange` with the path of each file under `root` that is written, replaced or deleted. One watcher per folder: on
 * Linux, Node's recursive watcher loses files that an editor replaces by renaming.
 */
export function watchTree(root, onChange) {
  const watchers = new Map();

  /** Returns the files of a new folder: they may be written before it is watched. */
  const add = (folder) => {
    if (watchers.has(folder)) return [];
    watchers.set(
      folder,
      watch(folder, (_event, name) => name !== null && note(path.join(folder, name))),
    );
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? add(file) : [file];
    });
  };
  const note = (file) => {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      try {
        for (const found of add(file)) onChange(found);
      } catch (error) {
        if (error.code !== 'ENOENT') throw error; // deleted again
      }
      return;
    }
    watchers.get(file)?.close();
    watchers.delete(file);
    onChange(file);
  };

  add(root);
  return {
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

export async function startConsole(stack, url, controlPlaneUrl) {
  const { startOwnedService } = await loadEmbedded();
  await stack.start('Console in watch mode', async (describe) => {
    const { port } = new URL(url);
    const folder = path.join(ROOT, 'apps/console');
    mkdirSync(FILES.console, { recursive: true });
    const vite = path.join(folder, 'node_modules/vite/bin/vite.js');
    const part = await explain('console.log', (logFile) =>
      startOwnedService(FILES.console, {
        name: 'Vite',
        command: process.execPath,
        args: [vite, '--host', '127.0.0.1', '--port', port, '--strictPort'],
        logFile,
        env: { ...process.env, CONTROL_PLANE_URL: controlPlaneUrl },
        cwd: folder,
        stopSignal: 'SIGTERM',
        isReady: (log) => log.includes(`:${port}`),
      }),
    );
    describe(`port ${port}`);
    return { part, result: undefined };
  });
}

/** Node writes its compile cache at exit, but slow requests need not end. */
async function stopSoon(part) {
  const timer = setTimeout(() => part.kill('SIGKILL'), STOP_MS);
  part.kill('SIGTERM');
  await part.exited;
  clearTimeout(timer);
}

async function bundleLua(folder) {
  const script = path.join(ROOT, 'packages/limiter/tools/assemble.mjs');
  const { code, output } = await runCommand(process.execPath, [script], { cwd: path.join(ROOT, folder) });
  if (code !== 0) throw new Error(output);
  await compile(`${folder}/${LUA_BUNDLE}`);
}

/** Deletes the JavaScript of a deleted source. */
async function compile(file) {
  const target = path.join(ROOT, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
  const source = path.join(ROOT, file);
  if (!existsSync(source)) {
    rmSync(target, { force: true });
    return;
  }
  const swc = await import(pathToFileURL(path.join(ROOT, 'node_modules/@swc/core/index.js')).href);
  const { code, map } = await swc.default.transformFile(source, { configFile: path.join(ROOT, '.swcrc') });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(`${target}.map`, map);
  writeFileSync(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
}

/** Apps in the changed folders, or that depend on a changed package. */
function appsUsing(files) {
  const folders = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')));
  const names = new Set([...folders].map((folder) => manifest(folder).name));
  return APPS.filter(
    (app) => folders.has(`apps/${app}`) || [...dependenciesOf(`apps/${app}`)].some((name) => names.has(name)),
  );
}

function dependenciesOf(folder, found = new Set()) {
  for (const [name, version] of Object.entries(manifest(folder).dependencies ?? {})) {
    if (!version.startsWith('workspace:') || found.has(name)) continue;
    found.add(name);
    dependenciesOf(`packages/${name.replace('@tollgate/', '')}`, found);
  }
  return found;
}

function manifest(folder) {
  return JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
}

function sourceFolders() {
  const packages = readdirSync(path.join(ROOT, 'packages')).map((name) => `packages/${name}/src`);
  return [...APPS.map((app) => `apps/${app}/src`), ...packages].filter((folder) =>
    existsSync(path.join(ROOT, folder)),
  );
}
