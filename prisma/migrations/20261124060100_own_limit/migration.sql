-- A lower limit that a tenant set itself.
ALTER TYPE "OverrideKind" ADD VALUE 'OWN';
