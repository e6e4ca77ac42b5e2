-- AlterTable
ALTER TABLE "invitation" ADD COLUMN     "sealed_token" TEXT;

-- AlterTable
ALTER TABLE "mail" ADD COLUMN     "invitation_id" TEXT;

SELECT set_config('tollgate.scope', 'all', false);

-- Earlier versions stored the sealed token where `notices:read` shows it, and expanded it in the text of any mail. Remove it.
UPDATE "mail" SET "body" = regexp_replace("body", '\{\{invitation [A-Za-z0-9:_-]+\}\}',
  'An update removed this link. Ask for a new invitation.', 'g')
WHERE "notice_id" IN (
  SELECT "id" FROM "notice" WHERE "kind" IN ('member.invited', 'operator.invited', 'signup.requested'));
UPDATE "notice" SET "data" = "data" - 'sealed'
WHERE "kind" IN ('member.invited', 'operator.invited', 'signup.requested') AND "data" ? 'sealed';

-- A reader of notices may have opened a link before. Links of open invitations stop working; resending makes a new one.
UPDATE "invitation" SET "token_hash" = encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex')
WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;

SELECT set_config('tollgate.scope', '', false);
