-- Twin of pools/spread.ts: a function that rounds part after part, so that the whole units add up to what the parts do.
local ROTATION_MS = 2000

local function newSpread(nowMs)
  local offset = ((floor(nowMs / ROTATION_MS) % 1000000) * 618034) % 1000000 / 1000000
  local sum, given = 0, 0
  return function(part)
    sum = sum + part
    local upTo = floor(sum + offset)
    local whole = upTo - given
    given = upTo
    return whole
  end
end
