-- Twin of Spread in pools/pool.ts: a function that rounds one part after the other, so that the sum is preserved.
local ROTATION_MS <const> = 2000

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

-- Twin of pools/allowances.ts. Returns the limits of the three ranks, the first rank without enough capacity (3: none), and this node's
-- part of it.
local OVERDRAFT_DIVISOR <const> = 10

local function ownAllowance(nodes, index, capacity, nowMs)
  local load, demand = { 0, 0, 0 }, { 0, 0, 0 }
  for _, node in ipairs(nodes) do
    for rank = 1, 3 do
      load[rank] = load[rank] + node.record[OWN + rank]
      demand[rank] = demand[rank] + node.record[DEMAND + rank]
    end
  end
  local total = load[CRITICAL] + load[NORMAL] + load[BACKGROUND]
  local record = nodes[index].record
  local mine = record[OWN + CRITICAL] + record[OWN + NORMAL] + record[OWN + BACKGROUND]
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
        local whole = spread(left * node.record[DEMAND + rank] / demand[rank])
        if i == index then
          cap = whole
        end
      end
      short = rank - 1
      break
    end
    left = left - demand[rank]
  end
  return limitOf(load[NORMAL] + load[BACKGROUND]), limitOf(load[BACKGROUND]), limitOf(0), short, cap
end

-- Twin of pools/allowances.ts.
local LEEWAY_DIVISOR <const> = 16

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

-- Aggregates tenants over all nodes: weights and demands by rank, by tenant; sum of weights, sums of demands by rank.
local function tenantsOf(nodes)
  local tenants, weights, weightSum = {}, {}, 0
  local critical, normal, background = {}, {}, {}
  local criticalSum, normalSum, backgroundSum = 0, 0, 0
  for _, node in ipairs(nodes) do
    local record = node.record
    for i = BORROWERS, #record, BORROWER_SIZE do
      local tenant, weight = record[i + TENANT], record[i + WEIGHT]
      local k = tenants[tenant]
      if not k then
        k = #weights + 1
        tenants[tenant], weights[k], critical[k], normal[k], background[k] = k, 0, 0, 0, 0
      end
      if weight > weights[k] then
        weights[k] = weight
      end
      critical[k] = critical[k] + record[i + BORROWER_DEMAND + CRITICAL]
      normal[k] = normal[k] + record[i + BORROWER_DEMAND + NORMAL]
      background[k] = background[k] + record[i + BORROWER_DEMAND + BACKGROUND]
    end
  end
  for k = 1, #weights do
    criticalSum, normalSum = criticalSum + critical[k], normalSum + normal[k]
    backgroundSum, weightSum = backgroundSum + background[k], weightSum + weights[k]
  end
  return tenants, weights, weightSum, { critical, normal, background }, { criticalSum, normalSum, backgroundSum }
end

-- A grant: total units, then units by rank. In the order of the borrowers of node `index`.
local GRANTED <const> = 1

local function fairGrants(nodes, index, spare, nowMs)
  local tenants, weights, weightSum, demands, sums = tenantsOf(nodes)
  local left, parts, grants = spare, {}, {}
  for rank = 1, 3 do
    parts[rank] = waterFill(left, demands[rank], weights)
    left = left - min(left, sums[rank])
  end
  local spreads, spreadRest = { newSpread(nowMs), newSpread(nowMs), newSpread(nowMs) }, newSpread(nowMs)
  for n, node in ipairs(nodes) do
    local record = node.record
    for i = BORROWERS, #record, BORROWER_SIZE do
      local k, whole = tenants[record[i + TENANT]], { 0, 0, 0 }
      for rank = 1, 3 do
        local mine = record[i + BORROWER_DEMAND + rank]
        -- Rounding skips empty parts.
        if mine > 0 then
          whole[rank] = spreads[rank](parts[rank][k] * mine / demands[rank][k])
        end
      end
      local extra, wanted = 0, demands[CRITICAL][k] + demands[NORMAL][k] + demands[BACKGROUND][k]
      if left > 0 and wanted > 0 then
        local from = i + BORROWER_DEMAND
        local mine = record[from + CRITICAL] + record[from + NORMAL] + record[from + BACKGROUND]
        extra = spreadRest(left * weights[k] / weightSum * mine / wanted)
      end
      if n == index then
        local critical, normal, background = whole[CRITICAL], whole[NORMAL], whole[BACKGROUND]
        grants[#grants + 1] = { critical + normal + background + extra, critical + extra, normal + extra, background + extra }
      end
    end
  end
  return grants
end

-- Limits a node's growth to the units that other nodes have returned. Returns the grants and the units they reserve for the node.
local function grantsOf(nodes, index, spare, nowMs)
  local record = nodes[index].record
  if #record < BORROWERS then
    return {}, 0
  end
  local grants, available = fairGrants(nodes, index, spare, nowMs), spare
  for n, node in ipairs(nodes) do
    if n ~= index then
      local lent = 0
      for i = BORROWERS, #node.record, BORROWER_SIZE do
        lent = lent + node.record[i + BORROWED]
      end
      available = available - max(node.record[RESERVED], lent)
    end
  end
  local growths, ones, reserved = {}, {}, 0
  local function borrowedBy(i)
    return record[BORROWERS + (i - 1) * BORROWER_SIZE + BORROWED]
  end
  for i, grant in ipairs(grants) do
    local borrowed = borrowedBy(i)
    available = available - borrowed
    growths[i], ones[i] = max(0, grant[GRANTED] - borrowed), 1
  end
  local room = max(0, available) + floor(spare / (LEEWAY_DIVISOR * #nodes))
  local reach, spread = waterFill(room, growths, ones), newSpread(nowMs)
  for i, grant in ipairs(grants) do
    local borrowed = borrowedBy(i)
    grant[GRANTED] = min(grant[GRANTED], borrowed + spread(reach[i]))
    reserved = reserved + max(grant[GRANTED], borrowed)
  end
  return grants, reserved
end
