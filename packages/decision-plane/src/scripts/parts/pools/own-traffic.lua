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

-- Twin of pools/own-traffic.ts. A node's own units stand in places 4 to 6 of its record, its demand in 7 to 9.
-- Returns the limits of the three ranks, which rank is short (3: none), and what this node may have of it.
local OVERDRAFT_DIVISOR = 10

local function ownAllowance(nodes, index, capacity, nowMs)
  local load, demand = { 0, 0, 0 }, { 0, 0, 0 }
  for _, node in ipairs(nodes) do
    for rank = 1, 3 do
      load[rank] = load[rank] + node.record[3 + rank]
      demand[rank] = demand[rank] + node.record[6 + rank]
    end
  end
  local total = load[1] + load[2] + load[3]
  local record = nodes[index].record
  local mine = record[4] + record[5] + record[6]
  local function limitOf(lessImportant)
    local ceiling = capacity + min(floor(capacity / OVERDRAFT_DIVISOR), lessImportant)
    if total <= ceiling then
      return ceiling - (total - mine)
    end
    return floor(mine * ceiling / total)
  end
  local short, cap, left = 3, 0, capacity
  for rank = 1, 3 do
    if demand[rank] > left then
      local spread = newSpread(nowMs)
      for i, node in ipairs(nodes) do
        local whole = spread(left * node.record[6 + rank] / demand[rank])
        if i == index then
          cap = whole
        end
      end
      short = rank - 1
      break
    end
    left = left - demand[rank]
  end
  return limitOf(load[2] + load[3]), limitOf(load[3]), limitOf(0), short, cap
end
