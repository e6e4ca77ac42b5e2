--[[ fixed_window: twin of algorithms/fixed-window.ts.
Parameters: extra, capacity, window (ms), 1 when aligned to the clock.
State f1: window-state.lua.
Source: docs/adr/0012-algorithms-second-form.md ]]
MAKE[1] = function()
  local function current(state, b, at, nowMs)
    local windowMs, aligned = b[at + 2], b[at + 3] == 1
    local startMs = nowMs
    if aligned then
      startMs = nowMs - nowMs % windowMs
    end
    if not state then
      return 0, startMs
    end
    local storedMs = state[2]
    if aligned and storedMs == startMs then
      return state[1], startMs
    end
    local over = storedMs <= nowMs - windowMs
    if aligned then
      over = storedMs < startMs
    end
    if over or storedMs > nowMs + windowMs then
      return 0, startMs
    elseif not aligned or storedMs > nowMs then
      startMs = storedMs
    end
    return state[1], startMs
  end

  return {
    parameters = 4,
    decode = decodeWindow,
    encode = encodeWindow,
    delta = windowDelta,

    step = function(state, b, at, cost, nowUs)
      local capacity = b[at + 1]
      local count, startMs = current(state, b, at, floor(nowUs / 1000))
      local resetAfterUs = (startMs + b[at + 2]) * 1000 - nowUs
      local used = count + cost
      if used <= capacity then
        return 1, { used, startMs }, capacity - used, 0, resetAfterUs
      elseif used <= capacity + b[at] then
        return 2, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      return 0, state, capacity - count, cost > capacity + b[at] and -1 or resetAfterUs, resetAfterUs
    end,

    give = function(state, b, at, units, atUs, nowUs)
      local count, startMs = current(state, b, at, floor(nowUs / 1000))
      if count == 0 or floor(atUs / 1000) < startMs then
        return state
      end
      return count > units and { count - units, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local count, startMs = current(state, b, from, floor(atUs / 1000))
      local carried = carriedOver(count, b[from + 1], b[to + 1], rule)
      return carried > 0 and { carried, startMs } or nil
    end,
  }
end
