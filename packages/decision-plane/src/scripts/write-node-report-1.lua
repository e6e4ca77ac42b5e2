--[[ write-node-report-1: stores a node's report with the server's time.

KEYS[1]  hash: node id -> report
ARGV[1]  node id
ARGV[2]  report, a JSON object with at least one field and without `seenAtMs`
ARGV[3]  channel to announce the report on
Reply    the server's time, us since the Unix epoch, decimal text
Binding  policy-redis/node-reports.ts
Source   docs/adr/0047-store-time.md ]]
local reports, nodeId, report, channel = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local time = redis.call('TIME')
local nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamped = string.format('%s,"seenAtMs":%.0f}', string.sub(report, 1, -2), math.floor(nowUs / 1000))
redis.call('HSET', reports, nodeId, stamped)
redis.call('PUBLISH', channel, nodeId)
return string.format('%.0f', nowUs)
