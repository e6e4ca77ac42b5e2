import { open, stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { HeadSigner, type SignedHead, signedHeadSchema } from '@tollgate/contracts/audit-head';
import { AppConfig } from '../../../config/app-config.js';
import { RedisConnections } from '../../../platform/redis.js';
import { readJson } from '../../../platform/text.js';

const HEADS_KEY = 'tg:audit:heads';
const SCAN_COUNT = 1000;

/** A stored head; `forged` if it names our key but its signature is invalid. */
export interface FoundHead {
  head: SignedHead;
  forged: boolean;
}

/**
 * Signed heads of audit chains, stored in Redis and in an append-only file if one is configured. The longer of both counts.
 * Heads signed with other keys are ignored.
 */
@Injectable()
export class AuditHeadsStore {
  readonly signer: HeadSigner;
  private readonly fromFile = new Map<string, FoundHead>();
  private readBytes = 0;

  constructor(
    private readonly config: AppConfig,
    private readonly redis: RedisConnections,
  ) {
    this.signer = new HeadSigner(config.auditKey);
  }

  /** The heads of these chains. */
  async find(chains: string[]): Promise<Map<string, FoundHead>> {
    if (chains.length === 0) return new Map();
    await this.readFile();
    const found = new Map<string, FoundHead>();
    for (const chain of chains) keepLonger(found, this.fromFile.get(chain));
    const texts = await this.redis.config.hmget(HEADS_KEY, ...chains);
    for (const text of texts) keepLonger(found, this.parse(text));
    return found;
  }

  /** All heads, in batches; one that is in both places may be repeated. */
  async *all(): AsyncGenerator<FoundHead[]> {
    await this.readFile();
    yield [...this.fromFile.values()];
    let cursor = '0';
    do {
      const [next, members] = await this.redis.config.hscan(HEADS_KEY, cursor, 'COUNT', SCAN_COUNT);
      const texts = members.filter((_, index) => index % 2 === 1);
      yield texts.flatMap((text) => this.parse(text) ?? []);
      cursor = next;
    } while (cursor !== '0');
  }

  /** Stores heads; the file is synced before this returns. */
  async put(heads: SignedHead[]): Promise<void> {
    if (heads.length === 0) return;
    const texts = heads.map((head) => JSON.stringify(head));
    if (this.config.auditHeadsFile !== undefined) {
      const file = await open(this.config.auditHeadsFile, 'a', 0o600);
      try {
        await file.appendFile(`${texts.join('\n')}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    }
    const members = heads.flatMap((head, index) => [head.chain, texts[index] as string]);
    await this.redis.config.hset(HEADS_KEY, ...members);
  }

  /** When heads of our key were last written; undefined: never. */
  async findWrittenAt(): Promise<Date | undefined> {
    const text = await this.redis.config.hget(`${HEADS_KEY}:written`, this.signer.keyId);
    return text === null ? undefined : new Date(Number(text));
  }

  async setWrittenAt(at: Date): Promise<void> {
    await this.redis.config.hset(`${HEADS_KEY}:written`, this.signer.keyId, at.getTime());
  }

  /** Reads the lines appended since the last read. */
  private async readFile(): Promise<void> {
    const path = this.config.auditHeadsFile;
    if (path === undefined) return;
    const size = await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    if (size === this.readBytes) return;
    // A shorter file has been replaced.
    if (size < this.readBytes) {
      this.fromFile.clear();
      this.readBytes = 0;
    }
    if (size === 0) return;
    const file = await open(path, 'r');
    try {
      const stream = file.createReadStream({ start: this.readBytes, autoClose: false, encoding: 'utf8' });
      let rest = '';
      for await (const part of stream) {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) keepLonger(this.fromFile, this.parse(line));
        this.readBytes += lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      }
    } finally {
      await file.close();
    }
  }

  private parse(text: string | null | undefined): FoundHead | undefined {
    const parsed = signedHeadSchema.safeParse(readJson(text ?? 'null'));
    if (!parsed.success || parsed.data.keyId !== this.signer.keyId) return undefined;
    return { head: parsed.data, forged: !this.signer.verify(parsed.data) };
  }
}

function keepLonger(heads: Map<string, FoundHead>, found: FoundHead | undefined): void {
  if (found === undefined) return;
  const known = heads.get(found.head.chain);
  if (known === undefined || found.forged || (!known.forged && found.head.sequence > known.head.sequence))
    heads.set(found.head.chain, found);
}
