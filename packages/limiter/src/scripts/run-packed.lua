#!lua
--[[ run-packed: packed_window. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua, without functions:
one command adds the cost, and its result shows the state before. A denial subtracts it within the script, so no client sees the sum.

Cost     1 to 9,006 (runs.ts), so that a new count is below 2^53. A larger result is not exact and left to decide.lua. ]]
--@include constants
--@include run-head
-- Reads nothing first: an error of HINCRBY, such as for a foreign key, leaves the request to decide.lua.
--@include run-fields
local cleaned

-- A state is a number: the count * UNIT + its start in seconds and the mark, 12 digits.
local UNIT <const> = 1000000000000
while at < last do
  local cost, p = batch[at + RUN_COST], at + RUN_POLICY
  local first, final = done + 1, done + batch[at + RUN_REQUESTS]
  at, done = p + batch[p + SIZE], final
  local parameters = p + PARAMETERS
  local windowMs, most = batch[parameters + WINDOW_MS], batch[parameters + EXTRA] + batch[parameters + CAPACITY]
  local startMs = nowMs - nowMs % windowMs
  local mark, expiresAtMs = LEAST_MARK + batch[p + ID] * PERIODS, startMs + 2 * windowMs
  -- The end of a state of this window: start and mark.
  local tail = startMs - EPOCH_MS + mark
  local high = floor(tail / START_HALF)
  local fresh = format('%d%06d%06d', cost, high, tail - high * START_HALF)
  local added, units = format('%d000000000000', cost), cost * UNIT
  local reverse = '-' .. added
  for k = first, final do
    local key, field, used = keys[k], fields[k], -1
    local count = pcall('HINCRBY', key, field, added)
    if type(count) == 'number' then
      local before = count - units
      local stored = before % UNIT
      if count <= MAX_EXACT and stored == tail and before >= tail then
        used = (before - tail) / UNIT
      elseif before == 0 or count <= MAX_EXACT and before > 0 and stored % MARK_SCALE == mark and stored < tail then
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
        if not cleaned then
          -- Created here, because few runs need it.
--@include sweep
          cleaned = sweep
        end
        cleaned(key, call('PEXPIRETIME', key), expiresAtMs, batch, p, nowUs)
      end
    end
    reply[k + 1] = used
  end
end
return cmsgpack.pack(reply)
