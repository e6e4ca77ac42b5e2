-- Changes nothing. Marks the release in which units of top-ups and rollovers are added after overrides and boosts
-- (docs/adr/0072-units-after-overrides.md): set-up logs the limits that change when it applies this migration.
SELECT 1;
