--[[ token_bucket_interval: twin of algorithms/token-bucket-interval.ts.
Parameters: extra, capacity, refill (tokens per interval, 1 or more), interval (ms), maximum missing tokens.
State i1: missing tokens and the boundary of the last applied refill (fixed-window.lua).
Source: docs/adr/0012-algorithms.md ]]
MAKE[7] = function()
  local function missing(state, b, at, nowMs)
    local windowMs = b[at + 3]
    local boundaryMs = nowMs - nowMs % windowMs
    if not state or state[2] > boundaryMs + windowMs then
      return 0, boundaryMs
    elseif state[2] > boundaryMs then
      return state[1], state[2]
    end
    local count = state[1] - floor((boundaryMs - state[2]) / windowMs) * b[at + 2]
    return count > 0 and count or 0, boundaryMs
  end

  return {
    parameters = 5,
    decode = decodeWindow,
    encode = encodeWindow,
    delta = windowDelta,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, refill, windowMs = b[at], b[at + 1], b[at + 2], b[at + 3]
      local count, startMs = missing(state, b, at, floor(nowUs / 1000))
      local used = count + cost
      local needed = used - capacity - extra
      if needed <= 0 then
        local resetAfterUs = 0
        if cost > 0 and used > b[at + 4] then
          used = b[at + 4]
        end
        if used > 0 then
          resetAfterUs = (startMs + math.ceil(used / refill) * windowMs) * 1000 - nowUs
        end
        return used > capacity and 2 or 1, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      local waitUs, resetAfterUs = -1, 0
      if cost <= capacity + extra then
        waitUs = (startMs + math.ceil(needed / refill) * windowMs) * 1000 - nowUs
      end
      if count > 0 then
        resetAfterUs = (startMs + math.ceil(count / refill) * windowMs) * 1000 - nowUs
      end
      return 0, state, capacity - count, waitUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local count, startMs = missing(state, b, at, floor(nowUs / 1000))
      if count == 0 then
        return state
      end
      -- Refills since the charge may have covered it already.
      local boundaries = floor(startMs / b[at + 3]) - floor(atUs / 1000 / b[at + 3])
      local pending = math.max(0, units - math.max(0, boundaries) * b[at + 2])
      return count > pending and { count - pending, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = math.max(floor(atUs / 1000), state[2])
      local count, startMs = missing(state, b, from, atMs)
      local carried = math.min(carriedOver(count, b[from + 1], b[to + 1], rule), b[to + 4])
      if carried == 0 then
        return nil
      end
      local windowMs = b[to + 3]
      if windowMs ~= b[from + 3] then
        startMs = atMs - atMs % windowMs
      end
      return { carried, startMs }
    end,
  }
end
