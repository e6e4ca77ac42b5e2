--[[ Part of the run scripts: decides requests with one limit each and without receipts, all with algorithms of one family. Their keys
differ.

KEYS     the key of each request, all in one slot; distinct, except hashes. Variant for several slots: keys-across.lua
ARGV[1]  JSON array of integers: runs of [cost, requests, policy (constants.lua)], for the keys in order
ARGV[2]  now, us since the Unix epoch; '' for the server's clock (always, except in tests)
ARGV[3]  deadline in server time (us), after which nothing is charged; '' for none
ARGV[4]  only in the variant for several slots: keys-across.lua
ARGV[5]  of counters that are fields of hashes: JSON array of the requests' fields
ARGV[6]  if requests have marks (MARKED in constants.lua): MessagePack array of each request's key, '' for none; only in the variant for several slots,
         not in run-packed
ARGV[7]  lifetime of the marks, ms
Reply    MessagePack array of integers: [now us] only after the deadline, else
         [now us, per key: the usage before the request, or -1 if decide.lua has to decide it: its state was written by another
         policy, is ahead of the clock, or is not a number; nothing was charged]
State    of decide.lua
Binding  scripts/runs.ts, which computes the decisions from the usage; models: algorithms/*.ts
Source   docs/adr/0053-run-scripts.md ]]
local payload, markKeys, markLifetimeMs = ARGV[1], ARGV[6], ARGV[7]
local batch = cjson.decode(payload)
--@include clock

local tonumber, floor, format, sub, byte, type = tonumber, math.floor, string.format, string.sub, string.byte, type
local pcall, nowMs, reply, last, at, done = redis.pcall, floor(nowUs / 1000), { nowUs }, #batch, 1, 0
-- Marks a request before its charge. False if this server does not serve the mark's key now: then decide.lua has to decide it.
local marked
if markKeys then
  local marks, keepUntilMs = cmsgpack.unpack(markKeys), nowMs + tonumber(markLifetimeMs)
  function marked(k)
    if marks[k] ~= '' and pcall('SET', marks[k], MARKED, 'PXAT', keepUntilMs).err then
      reply[k + 1] = -1
      return false
    end
    return true
  end
end
