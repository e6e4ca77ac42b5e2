#!lua
--[[ run-packed: packed_window. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua, without functions:
one command adds the cost, and its result shows the state before. A denial subtracts it within the script, so no client sees the sum.

Cost     1 to 9,006 (runs.ts), so that a new count is below 2^53. A larger result is not exact and left to decide.lua. ]]
--@include run-head
-- Nothing is read first: an error of HINCRBY, such as for a foreign key, leaves the request to decide.lua.
local keys, fields, call = KEYS, cjson.decode(ARGV[5]), redis.call
if ARGV[4] ~= '' then
  keys = cmsgpack.unpack(ARGV[4])
end

local UNIT, EXACT, b = 1000000000000, 9007199254740992, batch
while at < last do
--@include run-policy
  local windowMs, most = batch[p + 9], batch[p + 7] + batch[p + 8]
  local startMs = nowMs - nowMs % windowMs
  mark, expiresAtMs = 64 + id * 18, startMs + 2 * windowMs
  -- The end of a state of this window: start and mark.
  local tail = startMs - 1577836800000 + mark
  local high = floor(tail / 1000000)
  local fresh = format('%d%06d%06d', cost, high, tail - high * 1000000)
  local added, units = format('%d000000000000', cost), cost * UNIT
  local reverse = '-' .. added
  for k = first, done do
    local key, field, used = keys[k], fields[k], -1
    local count = pcall('HINCRBY', key, field, added)
    if type(count) == 'number' then
      local before = count - units
      local stored = before % UNIT
      if count <= EXACT and stored == tail and before >= tail then
        used = (before - tail) / UNIT
      elseif before == 0 or count <= EXACT and before > 0 and stored % 1000 == mark and stored < tail then
        -- A new field, or one of an earlier window.
        used = 0
      end
      if used < 0 or used + cost > most then
        if before == 0 then
          call('HDEL', key, field)
        else
          call('HINCRBY', key, field, reverse)
        end
      elseif stored ~= tail then
        call('HSET', key, field, fresh)
        local setMs = call('PEXPIRETIME', key)
--@include sweep
      end
    end
    reply[k + 1] = used
  end
end
return cmsgpack.pack(reply)
