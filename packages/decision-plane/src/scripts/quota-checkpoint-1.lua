--[[ quota-checkpoint-1: stores observed usage of quota counters in one period.

The highest reading is kept, in any order of writes. After a refund, the first later reading replaces it, and earlier readings are
ignored, even if they arrive later.

KEYS[1]  hash of one tenant and period: counter key -> 'used at lowered-at'
ARGV[1]  expiry of the hash, Unix ms
ARGV[2..]  per counter: key; used (0 to 2^53 - 1); at: counter time of the reading (us); lowered at: counter time of the first reading
         after the last refund (us, 0 none)
Reply    number of changed counters
Binding  policy-redis/quota-store.ts
Source   docs/adr/0016-outage.md ]]
local hash = KEYS[1]
local forgetAtMs = ARGV[1]

local changed = 0
for i = 2, #ARGV, 4 do
  local key, used, at, loweredAt = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local kept = redis.call('HGET', hash, key) or ''
  local keptUsed, keptAt, keptLoweredAt = string.match(kept, '^(%d+) (%d+) (%d+)$')
  keptUsed, keptAt, keptLoweredAt = tonumber(keptUsed or 0), tonumber(keptAt or 0), tonumber(keptLoweredAt or 0)
  local lowers = loweredAt > keptAt
  if lowers or (used > keptUsed and at > keptLoweredAt) then
    local text = string.format('%.0f %.0f %.0f', used, at, lowers and loweredAt or keptLoweredAt)
    redis.call('HSET', hash, key, text)
    changed = changed + 1
  end
end
redis.call('PEXPIREAT', hash, forgetAtMs)
return changed
