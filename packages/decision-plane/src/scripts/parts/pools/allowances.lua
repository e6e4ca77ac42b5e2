-- Twin of Spread in pools/pool.ts: a function that rounds one part after the other, so that the sum is preserved.
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

-- Twin of pools/allowances.ts. A node's own units are in positions 4 to 6 of its record, its demand in 7 to 9. Returns
-- the limits of the three ranks, the first rank without enough capacity (3: none), and this node's part of it.
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

-- Twin of pools/allowances.ts. Borrowers are in their node's record, six positions each from 10 on: tenant, weight,
-- borrowed, demand of the 3 ranks. They have no tables of their own: with thousands of loans, creating them took half of
-- the time.
local LEEWAY_DIVISOR = 16

local function waterFill(units, demands, weights)
  local order, parts, left, weightLeft = {}, {}, units, 0
  for i = 1, #demands do
    order[i] = i
  end
  sort(order, function(a, b)
    local difference = demands[a] * weights[b] - demands[b] * weights[a]
    return difference < 0 or (difference == 0 and a < b)
  end)
  for _, i in ipairs(order) do
    weightLeft = weightLeft + weights[i]
  end
  for _, i in ipairs(order) do
    local part = min(demands[i], left * weights[i] / weightLeft)
    parts[i] = part
    left = left - part
    weightLeft = weightLeft - weights[i]
  end
  return parts
end

-- Aggregates tenants over all nodes: weights and demands by rank, by tenant; sums of demands by rank and of weights.
local function tenantsOf(nodes)
  local tenants, weights, demands, sums = {}, {}, { {}, {}, {} }, { 0, 0, 0, 0 }
  local critical, normal, background = demands[1], demands[2], demands[3]
  for _, node in ipairs(nodes) do
    local record = node.record
    for i = 10, #record, 6 do
      local k = tenants[record[i]]
      if not k then
        k = #weights + 1
        tenants[record[i]], weights[k], critical[k], normal[k], background[k] = k, 0, 0, 0, 0
      end
      if record[i + 1] > weights[k] then
        weights[k] = record[i + 1]
      end
      critical[k] = critical[k] + record[i + 3]
      normal[k] = normal[k] + record[i + 4]
      background[k] = background[k] + record[i + 5]
    end
  end
  for k = 1, #weights do
    sums[1], sums[2] = sums[1] + critical[k], sums[2] + normal[k]
    sums[3], sums[4] = sums[3] + background[k], sums[4] + weights[k]
  end
  return tenants, weights, demands, sums
end

-- A grant is { total, by the 3 ranks }, in the order of the borrowers of node `index`.
local function fairGrants(nodes, index, spare, nowMs)
  local tenants, weights, demands, sums = tenantsOf(nodes)
  local left, parts, grants = spare, {}, {}
  for rank = 1, 3 do
    parts[rank] = waterFill(left, demands[rank], weights)
    left = left - min(left, sums[rank])
  end
  local spreads = { newSpread(nowMs), newSpread(nowMs), newSpread(nowMs), newSpread(nowMs) }
  for n, node in ipairs(nodes) do
    local record = node.record
    for i = 10, #record, 6 do
      local k, whole = tenants[record[i]], { 0, 0, 0 }
      for rank = 1, 3 do
        local mine = record[i + 2 + rank]
        -- Rounding skips empty parts.
        if mine > 0 then
          whole[rank] = spreads[rank](parts[rank][k] * mine / demands[rank][k])
        end
      end
      local extra, wanted = 0, demands[1][k] + demands[2][k] + demands[3][k]
      if left > 0 and wanted > 0 then
        local mine = record[i + 3] + record[i + 4] + record[i + 5]
        extra = spreads[4](left * weights[k] / sums[4] * mine / wanted)
      end
      if n == index then
        local total = whole[1] + whole[2] + whole[3] + extra
        grants[#grants + 1] = { total, whole[1] + extra, whole[2] + extra, whole[3] + extra }
      end
    end
  end
  return grants
end

-- Limits a node's growth to the units that other nodes have returned. Returns the grants and the units they reserve for the node.
local function grantsOf(nodes, index, spare, nowMs)
  local record = nodes[index].record
  if #record < 10 then
    return {}, 0
  end
  local grants, available = fairGrants(nodes, index, spare, nowMs), spare
  for n, node in ipairs(nodes) do
    if n ~= index then
      local lent = 0
      for i = 12, #node.record, 6 do
        lent = lent + node.record[i]
      end
      available = available - max(node.record[3], lent)
    end
  end
  local growths, ones, reserved = {}, {}, 0
  for i, grant in ipairs(grants) do
    local borrowed = record[6 + 6 * i]
    available = available - borrowed
    growths[i], ones[i] = max(0, grant[1] - borrowed), 1
  end
  local room = max(0, available) + floor(spare / (LEEWAY_DIVISOR * #nodes))
  local reach, spread = waterFill(room, growths, ones), newSpread(nowMs)
  for i, grant in ipairs(grants) do
    local borrowed = record[6 + 6 * i]
    grant[1] = min(grant[1], borrowed + spread(reach[i]))
    reserved = reserved + max(grant[1], borrowed)
  end
  return grants, reserved
end
