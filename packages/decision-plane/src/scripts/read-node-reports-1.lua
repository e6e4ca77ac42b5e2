--[[ read-node-reports-1: returns the reports of live nodes and deletes outdated ones, by the server's time.

KEYS[1]  hash: node id -> report with `seenAtMs`
ARGV[1]  maximum age of a report, ms
Reply    node id, report, node id, report, ...
Binding  policy-redis/node-reports.ts
Source   docs/adr/0047-store-time.md ]]
local key, maxAgeMs = KEYS[1], tonumber(ARGV[1])

local time = redis.call('TIME')
local nowMs = math.floor(tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000)
local reports, live = redis.call('HGETALL', key), {}
for i = 1, #reports, 2 do
  local seenAtMs = tonumber(string.match(reports[i + 1], '"seenAtMs":(%d+)') or 0)
  if nowMs - seenAtMs < maxAgeMs then
    live[#live + 1], live[#live + 2] = reports[i], reports[i + 1]
  else
    redis.call('HDEL', key, reports[i])
  end
end
return live
