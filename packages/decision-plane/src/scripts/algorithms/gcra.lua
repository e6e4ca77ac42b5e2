--[[ gcra: twin of algorithms/gcra.ts.
Parameters: a = emission interval (us, 1 or more), b = tolerance (us, 0 or more).
State g1: theoretical arrival time, us since the Unix epoch, decimal; then the mark.
Source: docs/adr/0005-algorithms-and-state.md ]]
ALGORITHMS[2] = {
  -- The mark is 200 to 775 thousandths after the comma: far from where the 19 digits of a double begin to round.
  decode = function(text)
    local number = tonumber(text)
    return number and floor(number / 1000)
  end,

  -- Two halves of 8 digits: as integers they print three times as fast as one number of 16.
  encode = function(tatUs, mark)
    local high = floor(tatUs / 100000000)
    return format('%d%08d%s', high, tatUs - high * 100000000, mark)
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
