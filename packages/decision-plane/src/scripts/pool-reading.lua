--[[ pool-reading: looks at a pool, and changes nothing but what is too old to count.

KEYS[1]  the pool's hash; its fields: pools/state.lua
ARGV[1]  capacity, units/s
ARGV[2]  now, ms since the Unix epoch; '' (always, but in tests) for the server's clock
Reply    five integers, all of the last second as nodes told it: capacity as corrected, own units admitted, units lent,
         tenants that were lent some, nodes that see its traffic
Source   docs/adr/0014-elastic-pools.md
Binding  scripts/pool-reading.ts ]]
local abs, floor, max, sort, sub = math.abs, math.floor, math.max, table.sort, string.sub
local FLOOR_PERMILLE, INCREASE_PERMILLE, STEP_MS = 100, 50, 1000
local REPORT_COUNTS_MS, REPORTS_FORGOTTEN_MS = 5000, 9000
local REPORT_FULL_MS, REPORT_ENDS_MS = 500, 1500
local min = math.min
--@include pools/capacity
--@include pools/state
local nowMs = tonumber(ARGV[2])
if not nowMs then
  local time = redis.call('TIME')
  nowMs = tonumber(time[1]) * 1000 + floor(tonumber(time[2]) / 1000)
end

local nodes, correction = readPool(KEYS[1], nowMs)
local own, lent, borrowers = 0, 0, {}
for _, node in ipairs(nodes) do
  local record = node.record
  own = own + record[4] + record[5] + record[6]
  for i = 10, #record, 6 do
    lent = lent + record[i + 2]
    if record[i + 2] > 0 then
      borrowers[record[i]] = true
    end
  end
end
local count = 0
for _ in pairs(borrowers) do
  count = count + 1
end
return { max(1, floor(tonumber(ARGV[1]) * correctionAt(correction, nowMs) / 1000)), own, lent, count, #nodes }
