-- Part of amend, decide and the run scripts: declares `nowUs`, the time given or the server's, and ends the script after the deadline.
-- A script has no other clock: it sets and compares expiries as absolute times, never as times left.
local nowUs, lastUs = tonumber(ARGV[2]), tonumber(ARGV[3])
if not nowUs then
  local time = redis.call('TIME')
  nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
if lastUs and nowUs > lastUs then
  return cmsgpack.pack({ nowUs })
end
