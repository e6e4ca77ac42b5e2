import { Controller, Get, Module, NotFoundException, Res } from '@nestjs/common';
import { Mutation, Query, Resolver } from '@nestjs/graphql';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/actor.js';
import { Anonymous, CurrentCaller, RequirePermission } from '../access/require-permission.decorator.js';
import { ChangeRunner } from '../changes/change-runner.js';
import {
  conflict,
  invalid,
  type Outcome,
  parseInput,
  payloadOf,
  refuse,
  withChanges,
} from '../changes/outcome.js';
import { Input } from '../graphql/mutation.graphql.js';
import { Database } from '../prisma/database.js';
import {
  InstallationPayload,
  InstallationSettings,
  InstallationUpdateInput,
  installationUpdateSchema,
} from './installation.graphql.js';
import { brandOf, Installation, type InstallationRow } from './installation.js';
import { cleanLogo } from './logo.js';

const toSettings = (row: InstallationRow): InstallationSettings => ({ ...row, ...brandOf(row) });

@Resolver()
class InstallationSettingsResolver {
  constructor(
    private readonly database: Database,
    private readonly changes: ChangeRunner,
    private readonly installation: Installation,
  ) {}

  @RequirePermission('installation:read')
  @Query(() => InstallationSettings, {
    name: 'installationSettings',
    description: 'Company and brand of this installation.',
  })
  async get(): Promise<InstallationSettings> {
    const where = { id: 1 };
    return toSettings(await this.database.client.installation.findUniqueOrThrow({ where }));
  }

  @RequirePermission('installation:write')
  @Mutation(() => InstallationPayload, {
    name: 'installationUpdate',
    description: 'Changes company and brand.',
  })
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: InstallationUpdateInput,
  ): Promise<InstallationPayload> {
    const outcome = await this.apply(caller, input);
    if (outcome.ok) await this.installation.refresh();
    return payloadOf('installation', outcome);
  }

  /** Errors: INVALID, CONFLICT. */
  private async apply(
    caller: Caller,
    input: InstallationUpdateInput,
  ): Promise<Outcome<InstallationSettings>> {
    const parsed = parseInput(installationUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { expectedVersion, reason, logo: picture, accent, ...given } = parsed.data;
    let logo: Buffer | null = null;
    try {
      if (picture) logo = cleanLogo(Buffer.from(picture, 'base64'));
    } catch (error) {
      return refuse([invalid(['logo'], (error as Error).message)]);
    }
    return this.changes.run<InstallationSettings>(caller, { reason }, async (change) => {
      await change.tx.$queryRaw`SELECT 1 FROM "installation" WHERE "id" = 1 FOR UPDATE`;
      const before = await change.tx.installation.findUniqueOrThrow({ where: { id: 1 } });
      if (before.version !== expectedVersion) return refuse([conflict('installation')], toSettings(before));
      const { id: _, version, ...old } = before;
      const data = {
        ...withChanges(old, given),
        ...(accent == null ? {} : { accent: accent === '' ? null : accent.toLowerCase() }),
        ...(picture == null ? {} : { logo: logo === null ? null : new Uint8Array(logo) }),
        version: version + 1,
      };
      const after = await change.tx.installation.update({ where: { id: 1 }, data });
      await change.audit({
        action: 'installation.update',
        entityId: 'installation',
        entityName: after.companyName || after.productName,
        before: audited(before),
        after: audited(after),
      });
      return toSettings(after);
    });
  }
}

/** Without the bytes of the logo. */
function audited({ logo, id: _, ...settings }: InstallationRow) {
  return { ...settings, logo: logo === null ? null : `${logo.length} bytes` };
}

@Controller('api/brand')
class BrandController {
  constructor(private readonly installation: Installation) {}

  /** Anonymous: the sign-in page shows the logo. */
  @Anonymous()
  @Get('logo.png')
  async logo(@Res() reply: FastifyReply): Promise<void> {
    const { logo } = this.installation.current;
    if (logo === null) throw new NotFoundException();
    await reply
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .type('image/png')
      .send(Buffer.from(logo));
  }
}

@Module({ providers: [InstallationSettingsResolver], controllers: [BrandController] })
export class InstallationModule {}
