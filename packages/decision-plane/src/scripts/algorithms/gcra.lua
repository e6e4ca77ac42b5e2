--[[ gcra: twin of algorithms/gcra.ts.
Parameters: a = emission interval (us, 1 or more), b = tolerance (us, 0 or more).
State g1: theoretical arrival time, us since the Unix epoch, decimal.
Source: docs/adr/0005-algorithms-and-state.md ]]
ALGORITHMS[2] = {
  decode = function(text)
    return tonumber(text)
  end,

  encode = function(tatUs)
    return format('%.0f', tatUs)
  end,

  step = function(state, batch, at, cost, nowUs)
    local intervalUs, toleranceUs = batch[at], batch[at + 1]
    local furthestUs = nowUs + toleranceUs + intervalUs
    local tatUs = state or nowUs
    if tatUs < nowUs then
      tatUs = nowUs
    elseif tatUs > furthestUs then
      tatUs = furthestUs
    end
    local nextUs = tatUs + intervalUs * cost
    local spareUs = furthestUs - nextUs
    if spareUs >= 0 then
      return true, nextUs, floor(spareUs / intervalUs), 0, nextUs - nowUs
    end
    local retryAfterUs = -spareUs
    if intervalUs * cost > toleranceUs + intervalUs then
      retryAfterUs = -1
    end
    return false, state, floor((furthestUs - tatUs) / intervalUs), retryAfterUs, tatUs - nowUs
  end,
}
