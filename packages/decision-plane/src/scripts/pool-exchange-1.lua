--[[ pool-exchange-1: stores a node's report about a pool and returns the node's allowance until its next report.

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
local KEEP_MS <const> = 20000
--@include pools/layout
--@include pools/state
--@include pools/allowances

-- Positions in the payload; a value by rank is at the position of the field plus the rank.
local CAPACITY <const> = 1
local RECLAIM_LEVEL <const> = 2
local OWN_UNITS <const> = 2 -- + rank
local OWN_DEMAND <const> = 5 -- + rank
local BORROWER_COUNT <const> = 9
local SERVICE_COUNT <const> = 10
local WARM_UP_MS <const> = 11
local START_PERMILLE <const> = 12
local START_AGE_MS <const> = 13
local HEAD <const> = 13 -- the last position before the borrowers
-- Values of a borrower in the payload: those of its record without the tenant, which is in ARGV.
local COLUMNS <const> = BORROWER_SIZE - 1
-- Arguments before the tenants.
local NAMES <const> = 3

local key, payload, nowMs, name = KEYS[1], cmsgpack.unpack(ARGV[1]), nowMsOr(ARGV[2]), ARGV[3]
local borrowers, services, warmUpMs, startAgeMs =
  payload[BORROWER_COUNT], payload[SERVICE_COUNT], payload[WARM_UP_MS], payload[START_AGE_MS]
local nodes, correction, utilizations, startedAtMs = readPool(key, nowMs, warmUpMs)
if startAgeMs < warmUpMs and (not startedAtMs or startAgeMs <= abs(nowMs - startedAtMs)) then
  startedAtMs = nowMs - startAgeMs
  redis.call('HSET', key, 'w', cmsgpack.pack({ startedAtMs }))
end
local warm = warmUpAt(warmUpMs, payload[START_PERMILLE], startedAtMs, nowMs)
if services > 0 then
  for i = 1, services do
    local service, utilization = ARGV[NAMES + borrowers + i], payload[HEAD + borrowers * COLUMNS + i]
    utilizations[service] = utilization
    redis.call('HSET', key, 's:' .. service, cmsgpack.pack({ nowMs, utilization }))
  end
  local worst = 0
  for _, utilization in pairs(utilizations) do
    worst = max(worst, utilization)
  end
  correction = stepCorrection(correction, worst, warm, nowMs)
  redis.call('HSET', key, 'c', cmsgpack.pack(correction))
end
local capacity = max(1, floor(payload[CAPACITY] * min(correctionAt(correction, nowMs), warm) / 1000))

local order, index = #nodes > 0 and nodes[#nodes].record[ORDER] + 1 or 1, #nodes + 1
for i, node in ipairs(nodes) do
  if node.name == name then
    order, index = node.record[ORDER], i
  end
end
local record = { [ORDER] = order, [NODE_AT_MS] = nowMs, [RESERVED] = 0 }
for rank = CRITICAL, BACKGROUND do
  record[OWN + rank], record[DEMAND + rank] = payload[OWN_UNITS + rank], payload[OWN_DEMAND + rank]
end
for i = 1, borrowers do
  record[#record + 1] = ARGV[NAMES + i]
  for column = 1, COLUMNS do
    record[#record + 1] = payload[HEAD + (i - 1) * COLUMNS + column]
  end
end
nodes[index] = { name = name, record = record }

local spare = max(0, floor(capacity * payload[RECLAIM_LEVEL] / 100) - ownUnitsOf(nodes))
local reply = { capacity, ownAllowance(nodes, index, capacity, nowMs) }
local grants
grants, record[RESERVED] = grantsOf(nodes, index, spare, nowMs)
for _, grant in ipairs(grants) do
  for _, units in ipairs(grant) do
    reply[#reply + 1] = units
  end
end
redis.call('HSET', key, 'n:' .. name, cmsgpack.pack(record))
local leftMs = startedAtMs and warmUpMs - abs(nowMs - startedAtMs) or 0
redis.call('PEXPIREAT', key, nowMs + max(KEEP_MS, leftMs))
return cmsgpack.pack(reply)
