-- Part of amend, decide and the run scripts: reads the server's clock unless `nowUs` is given, and ends the script after
-- the deadline `lastUs`. A script has no other clock: it sets and compares expiries as absolute times, never as times left.
if not nowUs then
  local time = redis.call('TIME')
  nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
if lastUs and nowUs > lastUs then
  return cmsgpack.pack({ nowUs })
end
