import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';

/** How this machine reaches the registry: Docker passes the proxies to every command of a build. */
const NETWORK = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
];
const WITHOUT_EFFECT = ['USER', 'VOLUME', 'EXPOSE', 'HEALTHCHECK'];

/**
 * Runs a Dockerfile without a container engine: each stage in its own folder, with an empty HOME and empty caches, which exist
 * only for the commands that mount them. Differences from Docker: the base image is this machine, and owners have no effect.
 */
export class ImageBuild {
  #folder = mkdtempSync(path.join(tmpdir(), 'tollgate-image-'));
  #instructions;
  #args = {};
  #stages = {};
  #stage;

  /** @param {string} dockerfile a name in docker/ */
  constructor(dockerfile) {
    this.#instructions = readInstructions(readFileSync(path.join(ROOT, 'docker', dockerfile), 'utf8'));
  }

  /** @throws Error with the output of the command that failed, or for an unknown instruction */
  async run() {
    for (const { name, flags, rest } of this.#instructions) {
      if (name === 'FROM') this.#startStage(words(rest));
      else if (name === 'ARG') this.#assign(this.#args, rest);
      else if (name === 'ENV') for (const word of words(rest)) this.#assign(this.#stage.env, word);
      else if (name === 'WORKDIR') this.#changeFolder(rest);
      else if (name === 'COPY') this.#copy(flags.get('from'), words(rest));
      else if (name === 'RUN') await this.#run(flags.get('mount'), rest);
      else if (name === 'CMD') this.#stage.command = JSON.parse(rest);
      else if (!WITHOUT_EFFECT.includes(name)) throw new Error(`unknown instruction ${name}`);
    }
  }

  /** Runs the start command of the image. */
  start() {
    const [command, ...args] = this.#stage.command;
    return runCommand(command, args, this.#options());
  }

  /** The path of a file of the image. */
  file(name) {
    return path.join(this.#stage.root, name);
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #startStage([_image, _as, name = 'final']) {
    this.#stage = { root: path.join(this.#folder, name), folder: '/', env: {} };
    this.#stages[name] = this.#stage;
    for (const folder of ['/root', '/tmp']) mkdirSync(this.file(folder), { recursive: true });
  }

  #assign(variables, assignment) {
    const [name, value] = splitAt(assignment, '=');
    const arg = Object.keys(this.#args).find((candidate) => value === `\${${candidate}}`);
    variables[name] = arg === undefined ? value : this.#args[arg];
  }

  #changeFolder(folder) {
    this.#stage.folder = folder;
    mkdirSync(this.file(folder), { recursive: true });
  }

  /** The content of a folder, or a file: into a folder if the target ends in a slash. */
  #copy(from, sources) {
    const target = sources.pop();
    const root = from === undefined ? ROOT : this.#stages[from].root;
    for (const source of sources) {
      const file = path.join(root, source);
      const destination = this.file(path.posix.resolve(this.#stage.folder, target));
      const isIntoFolder = target.endsWith('/') && !statSync(file).isDirectory();
      cpSync(file, isIntoFolder ? path.join(destination, path.basename(source)) : destination, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (entry) => from !== undefined || !isIgnored(path.relative(ROOT, entry)),
      });
    }
  }

  async #run(mount, command) {
    const unmount = mount === undefined ? undefined : this.#mountCache(mount);
    const local = words(command).map((word) => (word.startsWith('/') ? this.file(word) : word));
    const { code, output } = await runCommand('sh', ['-c', local.join(' ')], this.#options());
    unmount?.();
    if (code !== 0) throw new Error(`RUN ${command} ended with code ${code}:\n${output}`);
  }

  /** Returns a function that unmounts it. */
  #mountCache(mount) {
    const { type, id, target } = Object.fromEntries(mount.split(',').map((option) => splitAt(option, '=')));
    if (type !== 'cache') throw new Error(`unknown mount ${mount}`);
    const cache = path.join(this.#folder, 'caches', id);
    const visible = this.file(target);
    for (const folder of [cache, path.dirname(visible)]) mkdirSync(folder, { recursive: true });
    renameSync(cache, visible);
    return () => renameSync(visible, cache);
  }

  #options() {
    const network = NETWORK.filter((name) => process.env[name] !== undefined);
    const prefix = this.file('/usr/local');
    const env = {
      ...Object.fromEntries(network.map((name) => [name, process.env[name]])),
      HOME: this.file('/root'),
      TMPDIR: this.file('/tmp'),
      npm_config_prefix: prefix,
      PATH: [path.join(prefix, 'bin'), path.dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      ...this.#stage.env,
    };
    return { cwd: this.file(this.#stage.folder), env };
  }
}

/** Name, flags by name, and the rest of each instruction, without comments and continuations. */
function readInstructions(text) {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  const joined = lines.join('\n').replaceAll('\\\n', ' ').split('\n');
  return joined.filter(Boolean).map((line) => {
    const [name, ...others] = words(line);
    const flags = new Map();
    while (others[0]?.startsWith('--')) flags.set(...splitAt(others.shift().slice(2), '='));
    return { name, flags, rest: others.join(' ') };
  });
}

function splitAt(text, separator) {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function words(text) {
  return text.split(' ').filter(Boolean);
}

function isIgnored(file) {
  const patterns = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  return patterns.some((pattern) => path.matchesGlob(file, pattern));
}
