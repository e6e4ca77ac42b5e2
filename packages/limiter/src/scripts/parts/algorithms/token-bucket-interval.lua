--[[ token_bucket_interval: twin of algorithms/token-bucket-interval.ts.
Parameters: extra, capacity, refill (tokens per interval, 1 or more), interval (ms), maximum missing tokens.
State i1: missing tokens and the boundary of the last applied refill (fixed-window.lua).
Source: docs/adr/0012-algorithms.md ]]
local REFILL <const> = 2
local INTERVAL_MS <const> = 3
local MAX_MISSING <const> = 4
-- Slots of the state.
local MISSING <const> = 1
local BOUNDARY_MS <const> = 2

MAKE[TOKEN_BUCKET_INTERVAL] = function()
  local function missing(state, b, at, nowMs)
    local refill, intervalMs = b[at + REFILL], b[at + INTERVAL_MS]
    local boundaryMs = nowMs - nowMs % intervalMs
    if not state then
      return 0, boundaryMs
    end
    local count, storedMs = state[MISSING], state[BOUNDARY_MS]
    if storedMs > boundaryMs + intervalMs then
      return 0, boundaryMs
    elseif storedMs > boundaryMs then
      return count, storedMs
    end
    count = count - floor((boundaryMs - storedMs) / intervalMs) * refill
    return count > 0 and count or 0, boundaryMs
  end

  return {
    parameters = 5,
    decode = decodeWindow,
    encode = encodeWindow,
    delta = windowDelta,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, maxMissing = b[at + EXTRA], b[at + CAPACITY], b[at + MAX_MISSING]
      local refill, intervalMs = b[at + REFILL], b[at + INTERVAL_MS]
      local count, startMs = missing(state, b, at, floor(nowUs / 1000))
      local used = count + cost
      local needed = used - capacity - extra
      if needed <= 0 then
        local resetAfterUs = 0
        if cost > 0 and used > maxMissing then
          used = maxMissing
        end
        if used > 0 then
          resetAfterUs = (startMs + math.ceil(used / refill) * intervalMs) * 1000 - nowUs
        end
        return used > capacity and 2 or 1, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      local waitUs, resetAfterUs = -1, 0
      if cost <= capacity + extra then
        waitUs = (startMs + math.ceil(needed / refill) * intervalMs) * 1000 - nowUs
      end
      if count > 0 then
        resetAfterUs = (startMs + math.ceil(count / refill) * intervalMs) * 1000 - nowUs
      end
      return 0, state, capacity - count, waitUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local count, startMs = missing(state, b, at, floor(nowUs / 1000))
      if count == 0 then
        return state
      end
      -- Refills since the charge may have covered it already.
      local refill, intervalMs = b[at + REFILL], b[at + INTERVAL_MS]
      local boundaries = floor(startMs / intervalMs) - floor(atUs / 1000 / intervalMs)
      local pending = math.max(0, units - math.max(0, boundaries) * refill)
      return count > pending and { count - pending, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = math.max(floor(atUs / 1000), state[BOUNDARY_MS])
      local count, startMs = missing(state, b, from, atMs)
      local carried = math.min(carriedOver(count, b[from + CAPACITY], b[to + CAPACITY], rule), b[to + MAX_MISSING])
      if carried == 0 then
        return nil
      end
      local intervalMs = b[to + INTERVAL_MS]
      if intervalMs ~= b[from + INTERVAL_MS] then
        startMs = atMs - atMs % intervalMs
      end
      return { carried, startMs }
    end,
  }
end
