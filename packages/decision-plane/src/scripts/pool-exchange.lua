--[[ pool-exchange: stores a node's report about a pool and returns the node's allowance until its next report.

KEYS[1]  the pool's hash; fields: pools/state.lua
ARGV[1]  MessagePack array of non-negative integers: [capacity (units/s), reclaim level (percent), own units by rank x 3, own demand
         by rank x 3, borrowers, services, warm-up (ms; 0: none), its start (permille), age of a reported cold start (ms; the
         warm-up's length: none), borrowers x (weight, borrowed, demand by rank x 3), services x utilization (permille)]; units
         are of the last second; ranks: 1 critical, 2 normal, 3 background
ARGV[2]  now, ms since the Unix epoch; '' for the server's clock (always, except in tests)
ARGV[3]  node id; then the borrowing tenants, distinct; then the services' names
Reply    MessagePack array of integers: [corrected capacity, own limits by rank x 3, first rank without enough capacity 0..3, cap of
         that rank, then per borrower: total grant, grant by rank x 3]
Source   docs/adr/0014-elastic-pools.md
Binding  scripts/pools.ts; model: pools/exchange.ts ]]
local abs, floor, max, min, sort, sub = math.abs, math.floor, math.max, math.min, table.sort, string.sub
-- For garbage collection: all reports have expired by then. A warm-up may last longer.
local KEEP_MS = 20000
--@include pools/state
--@include pools/allowances
local key, b, nowMs, name = KEYS[1], cmsgpack.unpack(ARGV[1]), nowMsOr(ARGV[2]), ARGV[3]

local warmUpMs, startAgeMs = b[11], b[13]
local nodes, correction, services, startedAtMs = readPool(key, nowMs, warmUpMs)
if startAgeMs < warmUpMs and (not startedAtMs or startAgeMs <= abs(nowMs - startedAtMs)) then
  startedAtMs = nowMs - startAgeMs
  redis.call('HSET', key, 'w', cmsgpack.pack({ startedAtMs }))
end
local warm = warmUpAt(warmUpMs, b[12], startedAtMs, nowMs)
if b[10] > 0 then
  for i = 1, b[10] do
    local service, utilization = ARGV[3 + b[9] + i], b[13 + b[9] * 5 + i]
    services[service] = utilization
    redis.call('HSET', key, 's:' .. service, cmsgpack.pack({ nowMs, utilization }))
  end
  local worst = 0
  for _, utilization in pairs(services) do
    worst = max(worst, utilization)
  end
  correction = stepCorrection(correction, worst, warm, nowMs)
  redis.call('HSET', key, 'c', cmsgpack.pack(correction))
end
local capacity = max(1, floor(b[1] * min(correctionAt(correction, nowMs), warm) / 1000))

local order, index = #nodes > 0 and nodes[#nodes].record[1] + 1 or 1, #nodes + 1
for i, node in ipairs(nodes) do
  if node.name == name then
    order, index = node.record[1], i
  end
end
local record = { order, nowMs, 0, b[3], b[4], b[5], b[6], b[7], b[8] }
for i = 1, b[9] do
  record[#record + 1] = ARGV[3 + i]
  for column = 1, 5 do
    record[#record + 1] = b[8 + 5 * i + column]
  end
end
nodes[index] = { name = name, record = record }

local spare = max(0, floor(capacity * b[2] / 100) - ownUnitsOf(nodes))
local reply = { capacity, ownAllowance(nodes, index, capacity, nowMs) }
local grants
grants, record[3] = grantsOf(nodes, index, spare, nowMs)
for _, grant in ipairs(grants) do
  for column = 1, 4 do
    reply[#reply + 1] = grant[column]
  end
end
redis.call('HSET', key, 'n:' .. name, cmsgpack.pack(record))
local leftMs = startedAtMs and warmUpMs - abs(nowMs - startedAtMs) or 0
redis.call('PEXPIREAT', key, nowMs + max(KEEP_MS, leftMs))
return cmsgpack.pack(reply)
