--[[ decide: decides a batch of requests in order, each against several limits, all or nothing.

KEYS     the distinct counter keys of the batch, all in one slot
ARGV[1]  the batch, a MessagePack array of integers:
         [policies, policies x (algorithm, slot exponent, horizon ms, a, b, c),
          then for each request: checks * 2 + (1 when nothing is to be charged),
                                 checks x (key, from 1; policy, from 0; cost, 0 or more)]
ARGV[2]  now, us since the Unix epoch; '' (always, but in tests) for the server's clock
Reply    a MessagePack array of integers:
         [now us, for each check: allowed 0|1, remaining, retry after us or -1 for never, reset after us]
State    what the algorithm stores, then the mark: 3 digits, 200 to 775, that tell when the expiry was last set
         (write-states.lua)
Binding  scripts/decide.ts; models: algorithms/*.ts
Source   docs/adr/0004-decide-script.md ]]
local ALGORITHMS = {}
local floor, format, sub, byte = math.floor, string.format, string.sub, string.byte
--@include algorithms/fixed-window
--@include algorithms/gcra

local batch, nowUs = cmsgpack.unpack(ARGV[1]), tonumber(ARGV[2])
if not nowUs then
  local time = redis.call('TIME')
  nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local keys = KEYS
local texts = redis.call('MGET', unpack(keys))
local states, nextStates, written = {}, {}, {}
local reply, r = { nowUs }, 1

local at, last = 2 + batch[1] * 6, #batch
while at <= last do
  --@include decide-request
end
--@include write-states
return cmsgpack.pack(reply)
