-- Results have new fields. A simulation can be repeated, so earlier results are not converted.
DELETE FROM "simulation" WHERE "state" = 'DONE';
