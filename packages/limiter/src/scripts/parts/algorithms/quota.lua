--[[ quota: twin of algorithms/quota.ts.
Parameters: extra, capacity, start, end, end of the next period (ms since the Unix epoch).
State q1: count and start of the period (fixed-window.lua).
Source: docs/adr/0012-algorithms.md ]]
local PERIOD_START_MS <const> = 2
local PERIOD_END_MS <const> = 3
local NEXT_END_MS <const> = 4
-- Slots of the state.
local COUNT <const> = 1
local START_MS <const> = 2

MAKE[QUOTA] = function()
  -- Start and end of the current period, and the end of the next one.
  local function periodFor(b, at, nowMs)
    local startMs, endMs, nextEndMs = b[at + PERIOD_START_MS], b[at + PERIOD_END_MS], b[at + NEXT_END_MS]
    if nowMs >= endMs then
      local lengthMs = nextEndMs - endMs
      local fromMs = endMs + floor((nowMs - endMs) / lengthMs) * lengthMs
      return fromMs, fromMs + lengthMs, fromMs + 2 * lengthMs
    elseif nowMs >= startMs then
      return startMs, endMs, nextEndMs
    end
    local lengthMs = math.max(endMs - startMs, nextEndMs - endMs)
    local fromMs = startMs - math.ceil((startMs - nowMs) / lengthMs) * lengthMs
    return fromMs, fromMs + lengthMs, fromMs + 2 * lengthMs
  end

  -- Current count, the start to store with it, and the end of its period.
  local function current(state, b, at, nowMs)
    local startMs, endMs, nextEndMs = periodFor(b, at, nowMs)
    local storedMs = state and state[START_MS]
    if not storedMs or storedMs < startMs or storedMs >= nextEndMs then
      return 0, startMs, endMs
    end
    return state[COUNT], storedMs, storedMs < endMs and endMs or nextEndMs
  end

  return {
    parameters = 5,
    decode = decodeWindow,
    encode = encodeWindow,
    delta = windowDelta,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity = b[at + EXTRA], b[at + CAPACITY]
      local count, startMs, untilMs = current(state, b, at, floor(nowUs / 1000))
      local resetAfterUs = untilMs * 1000 - nowUs
      local used = count + cost
      if used <= capacity + extra then
        return used > capacity and 2 or 1, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      return 0, state, capacity - count, cost > capacity + extra and -1 or resetAfterUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local count, startMs = current(state, b, at, floor(nowUs / 1000))
      if count == 0 or floor(atUs / 1000) < startMs then
        return state
      end
      return count > units and { count - units, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = floor(atUs / 1000)
      local count, storedMs = current(state, b, from, atMs)
      local startMs, _, nextEndMs = periodFor(b, to, atMs)
      local lengthMs = b[to + PERIOD_END_MS] - b[to + PERIOD_START_MS]
      local shortened = b[from + PERIOD_END_MS] - b[from + PERIOD_START_MS] > 1.5 * lengthMs
      local carried = 0
      if not shortened or storedMs >= startMs then
        carried = carriedOver(count, b[from + CAPACITY], b[to + CAPACITY], rule)
      end
      if carried == 0 then
        return nil
      end
      local holds = storedMs >= startMs and storedMs < nextEndMs
      return { carried, holds and storedMs or startMs }
    end,
  }
end
