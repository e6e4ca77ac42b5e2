-- Twin of pools/borrowing.ts. Borrowers stand in their node's record, six places each from place 10 on: tenant, weight,
-- borrowed, demand of the 3 ranks. No tables of their own: with thousands of loans, making them took half of the time.
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

-- Each tenant once, over all nodes: weights, demands by rank and all three together, by tenant; and the sums of demands by
-- rank and of weights.
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
        -- A part of nothing moves no spread.
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

-- Lets a node grow only by what the others have given back; returns the grants and what the node holds by them.
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
  local growths, ones, held = {}, {}, 0
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
    held = held + max(grant[1], borrowed)
  end
  return grants, held
end
