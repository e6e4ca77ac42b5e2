--[[ sliding_window_estimate: twin of algorithms/sliding-window-estimate.ts.
Parameters: extra (units), capacity (units, 1 or more), window (ms, 1 or more).
State e1: the current window's count, a comma, the previous window's count, then 12 digits of the current window's start (ms since
2020-01-01), decimal; then the mark. In Lua: { start (Unix ms), current, previous }.
Source: docs/adr/0012-algorithms.md ]]
local MAX_COUNT <const> = 2 ^ 52
-- Slots of the state.
local START_MS <const> = 1
local CURRENT <const> = 2
local PREVIOUS <const> = 3

MAKE[SLIDING_WINDOW_ESTIMATE] = function()
  local find = string.find

  -- Current start and counts.
  local function windowsOf(state, windowMs, nowMs)
    local startMs = nowMs - nowMs % windowMs
    if not state then
      return startMs, 0, 0
    end
    local storedMs, current, previous = state[START_MS], state[CURRENT], state[PREVIOUS]
    local ageMs = startMs - storedMs
    if ageMs < 0 and ageMs >= -windowMs then
      return storedMs, current, previous
    elseif ageMs >= 0 and ageMs < windowMs then
      return startMs, current, previous
    end
    return startMs, 0, ageMs >= 0 and ageMs < 2 * windowMs and current or 0
  end

  -- Overlap of the previous window with the window that ends now, ms.
  local function overlapMs(startMs, windowMs, nowMs)
    local elapsedMs = nowMs - startMs
    return elapsedMs > 0 and windowMs - elapsedMs or windowMs
  end

  -- Largest overlap at which at most `units` of the previous window count, ms.
  local function largestOverlapMs(previous, units, windowMs)
    return floor(((units + 1) * windowMs - 1) / previous)
  end

  return {
    parameters = 3,

    decode = function(text)
      local comma = find(text, ',', 1, true)
      if not comma then
        return nil
      end
      local current, previous = tonumber(sub(text, 1, comma - 1)), tonumber(sub(text, comma + 1, -16))
      local startMs = tonumber(sub(text, -15, -4))
      -- Rejects numbers that we did not write.
      if current and previous and startMs and current >= 0 and previous >= 0
        and current + previous == floor(current) + floor(previous) and startMs == floor(startMs) then
        return { startMs + EPOCH_MS, current, previous }
      end
    end,

    encode = function(state, mark)
      local start, current, previous = state[START_MS] - EPOCH_MS, state[CURRENT], state[PREVIOUS]
      local high = floor(start / START_HALF)
      local small = current < MAX_PRINTED and previous < MAX_PRINTED
      local shape = small and '%d,%d%06d%06d%s' or '%.0f,%.0f%06d%06d%s'
      return format(shape, current, previous, high, start - high * START_HALF, mark)
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, windowMs = b[at + EXTRA], b[at + CAPACITY], b[at + WINDOW_MS]
      local nowMs = floor(nowUs / 1000)
      local startMs, current, previous = windowsOf(state, windowMs, nowMs)
      local leftMs = overlapMs(startMs, windowMs, nowMs)
      local most, weighted = capacity + extra - cost, floor(previous * leftMs / windowMs)
      local outcome, nextState, waitUs, used = 0, state, 0, current
      if current + weighted <= most then
        outcome, used = 1, current + cost
        if cost > 0 then
          nextState = { startMs, used, previous }
        end
      elseif most < 0 then
        waitUs = -1
      elseif current <= most then
        waitUs = (startMs + windowMs - largestOverlapMs(previous, most - current, windowMs)) * 1000 - nowUs
      else
        waitUs = (startMs + 2 * windowMs - largestOverlapMs(current, most, windowMs)) * 1000 - nowUs
      end
      local remaining = capacity - used - weighted
      if outcome == 1 and remaining < 0 then
        outcome = 2
      end
      local resetAfterUs = 0
      if used > 0 then
        resetAfterUs = (startMs + 2 * windowMs - largestOverlapMs(used, 0, windowMs)) * 1000 - nowUs
      elseif weighted > 0 then
        resetAfterUs = (startMs + windowMs - largestOverlapMs(previous, 0, windowMs)) * 1000 - nowUs
      end
      return outcome, nextState, remaining, waitUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      if not state then
        return state
      end
      local windowMs, atMs = b[at + WINDOW_MS], floor(atUs / 1000)
      local startMs, current, previous = windowsOf(state, windowMs, floor(nowUs / 1000))
      if atMs >= startMs or nowUs < startMs * 1000 then
        if current == 0 then
          return state
        end
        return { startMs, current > units and current - units or 0, previous }
      elseif atMs < startMs - windowMs or previous == 0 then
        return state
      end
      return { startMs, current, previous > units and previous - units or 0 }
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local windowMs, capacity, atMs = b[from + WINDOW_MS], b[from + CAPACITY], floor(atUs / 1000)
      local newWindowMs, newCapacity = b[to + WINDOW_MS], b[to + CAPACITY]
      local startMs, current, previous = windowsOf(state, windowMs, atMs)
      local leftMs = overlapMs(startMs, windowMs, atMs)
      local used = current + floor(previous * leftMs / windowMs)
      local carried = carriedOver(used, capacity, newCapacity, rule)
      if carried > MAX_COUNT then
        carried = MAX_COUNT
      end
      if carried == 0 then
        return nil
      elseif windowMs ~= newWindowMs then
        return { atMs - atMs % newWindowMs, carried, 0 }
      elseif carried == used then
        return { startMs, current, previous }
      end
      local kept
      if rule == ADDITIVE then
        kept = carried > current and -floor(-(carried - current) * windowMs / leftMs) or 0
      else
        kept = floor(previous * newCapacity / capacity)
        local most = floor(carried * windowMs / leftMs)
        if kept > most then
          kept = most
        end
      end
      return { startMs, carried - floor(kept * leftMs / windowMs), kept }
    end,
  }
end
