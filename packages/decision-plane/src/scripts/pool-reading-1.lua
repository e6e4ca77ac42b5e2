--[[ pool-reading-1: reads a pool; deletes only expired reports.

KEYS[1]  the pool's hash; fields: pools/state.lua
ARGV[1]  capacity, units/s
ARGV[2]  warm-up, ms; 0: none
ARGV[3]  its start, permille
ARGV[4]  now, ms since the Unix epoch; '' for the server's clock (always, except in tests)
Reply    six integers; for the last second: capacity in effect, own units admitted, units lent, borrowing tenants, nodes with
         traffic; then the time left of the warm-up, ms (0: none)
Source   docs/adr/0014-elastic-pools.md
Binding  scripts/pools.ts ]]
local abs, floor, max, min, sort, sub = math.abs, math.floor, math.max, math.min, table.sort, string.sub
--@include pools/layout
--@include pools/state
local key, maxCapacity, warmUpMs, startPermille = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local nowMs = nowMsOr(ARGV[4])
local nodes, correction, _, startedAtMs = readPool(key, nowMs, warmUpMs)
local lent, borrowers = 0, {}
for _, node in ipairs(nodes) do
  local record = node.record
  for i = BORROWERS, #record, BORROWER_SIZE do
    lent = lent + record[i + BORROWED]
    if record[i + BORROWED] > 0 then
      borrowers[record[i + TENANT]] = true
    end
  end
end
local count = 0
for _ in pairs(borrowers) do
  count = count + 1
end
local warm = warmUpAt(warmUpMs, startPermille, startedAtMs, nowMs)
local capacity = max(1, floor(maxCapacity * min(correctionAt(correction, nowMs), warm) / 1000))
local leftMs = startedAtMs and warmUpMs - abs(nowMs - startedAtMs) or 0
return { capacity, ownUnitsOf(nodes), lent, count, #nodes, leftMs }
